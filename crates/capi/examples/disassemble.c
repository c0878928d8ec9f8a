/* Prints the instructions of a code object, bundle or host program: `disassemble FILE [CHIP]`.
 *
 * cc disassemble.c -o disassemble $(pkg-config --cflags --libs wavetank)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavetank.h>

/* Reads a file; null if it cannot be read. */
static void *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long end = -1;

    if (file && fseek(file, 0, SEEK_END) == 0)
        end = ftell(file);
    if (end >= 0 && (bytes = (char *)malloc((size_t)end + 1)) != NULL) {
        rewind(file);
        *size = fread(bytes, 1, (size_t)end, file);
    }
    if (file)
        fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    wavetank_listing *listing;
    wavetank_instruction inst;
    const char *function = "";
    size_t size = 0, i = 0;
    void *code = argc > 1 ? read_file(argv[1], &size) : NULL;

    if (!code) {
        fprintf(stderr, "usage: disassemble FILE [CHIP]\n");
        return 2;
    }
    if (wavetank_disassemble(code, size, argc > 2 ? argv[2] : NULL, &listing) != WAVETANK_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], wavetank_last_error());
        return 2;
    }
    while (wavetank_listing_get(listing, i++, &inst, sizeof inst) == WAVETANK_OK) {
        if (inst.function && strcmp(inst.function, function) != 0)
            printf("\n%s:\n", function = inst.function);
        printf("%8llx  %s\n", (unsigned long long)inst.address, inst.text);
    }
    wavetank_listing_free(listing);
    free(code);
    return 0;
}
