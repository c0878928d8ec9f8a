//! The macros of the table of operations: the rows generate the enums, and all code that handles their fields one by one.

/// Declares enums by rows:
///
/// ```text
/// Name(field: Type as Form, …) = "text", rule, value;
/// Name { field: Type as Form, … } = "text", rule, value;
/// ```
///
/// * **Fields** are parsed, printed and walked over in the order of the row, by their [`Form`](crate::form::Form): the type
///   itself if none is named. The fields of a tuple have names for the row alone. If the text names fields, `field = "name"`
///   gives a field another name.
/// * **The rule** is the required type of each operand, also of an optional one, and the type of the result, in words of
///   [`Is`](crate::verify::Is): `(U32, W32) -> V32`. A rule may also be a method of the [`Checker`](crate::verify::Checker) with
///   the fields to pass: `select(cond, a, b)`.
/// * **The value** is an expression of the fields, and becomes a method, whose name is in the head of the enum.
macro_rules! operations {
    ($(
        $(#[$of_enum:meta])*
        pub enum $name:ident, $(#[$of_column:meta])* $vis:vis $column:ident: $of:ty {$(
            $(#[$doc:meta])*
            $variant:ident
            $(($($t:ident: $t_ty:ty $(as $t_form:ty)?),*))?
            $({$($(#[$s_doc:meta])* $s:ident $(= $label:literal)?: $s_ty:ty $(as $s_form:ty)?),* $(,)?})?
            = $text:literal, $($rule:ident)? ($($arg:ident),*) $(-> $gives:ident)?, $value:expr;
        )*}
    )*) => {$(
        $(#[$of_enum])*
        pub enum $name {$(
            $(#[$doc])*
            $variant $(($($t_ty),*))? $({$($(#[$s_doc])* $s: $s_ty),*})?,
        )*}

        $crate::table::rows! {
            $name, $(#[$of_column])* $vis $column: $of;
            $(
                // The fields as they appear in patterns and expressions.
                $variant [$(($($t),*))? $({$($s),*})?]
                [
                    $($($t: $t_ty, [$($t_form)?], stringify!($t);)*)?
                    $($($s: $s_ty, [$($s_form)?], $crate::table::label!($s $(, $label)?);)*)?
                ]
                = $text, [$($rule)?] ($($arg),*) [$($gives)?], $value;
            )*
        }
    )*};
}

/// The implementations for rows with their fields in a uniform list.
macro_rules! rows {
    ($name:ident, $(#[$of_column:meta])* $vis:vis $column:ident: $of:ty; $(
        $variant:ident [$($fields:tt)*] [$($f:ident: $ty:ty, [$($form:ty)?], $label:expr;)*]
        = $text:literal, [$($rule:ident)?] ($($arg:ident),*) [$($gives:ident)?], $value:expr;
    )*) => {
        const _: () = {
            use std::fmt;

            use $crate::form::Form;
            use $crate::line::{Line, Miss};
            use $crate::types::Value;
            use $crate::operands::Operands;
            use $crate::print::Out;
            use $crate::table::{form, rule};
            use $crate::types::Ty;
            use $crate::verify::{Checked, Checker, Is};

            impl Operands for $name {
                fn walk(&self, f: &mut impl FnMut(&Value)) {
                    match self {$(
                        $name::$variant $($fields)* => {$(Operands::walk($f, f);)*}
                    )*}
                }

                fn walk_mut(&mut self, f: &mut impl FnMut(&mut Value)) {
                    match self {$(
                        $name::$variant $($fields)* => {$(Operands::walk_mut($f, f);)*}
                    )*}
                }
            }

            impl Form for $name {
                fn print(op: &$name, out: &mut Out<'_, '_>) -> fmt::Result {
                    out.name(op.text())?;
                    op.print_fields(out)
                }

                fn parse(line: &mut Line<'_, '_>) -> Result<$name, Miss> {
                    $(
                        let row = line.row($text, |line| {
                            $(
                                line.field = $label;
                                let mut $f = form!([$ty $(, $form)?] parse(line))?;
                            )*
                            line.name_is_read()?;
                            $(form!([$ty $(, $form)?] parse_rest(&mut $f, line))?;)*
                            Ok($name::$variant $($fields)*)
                        });
                        if !matches!(row, Err(Miss::Row)) {
                            return row;
                        }
                    )*
                    Err(Miss::Row)
                }
            }

            #[allow(unused_variables)]
            impl $name {
                /// The name of the row in the text form.
                pub(crate) fn text(&self) -> &'static str {
                    match self {$($name::$variant $($fields)* => $text,)*}
                }

                /// Writes the part after the name of the row.
                pub(crate) fn print_fields(&self, out: &mut Out<'_, '_>) -> fmt::Result {
                    match self {$(
                        $name::$variant $($fields)* => {
                            $(
                                out.field = $label;
                                form!([$ty $(, $form)?] print($f, out))?;
                            )*
                            $(form!([$ty $(, $form)?] print_rest($f, out))?;)*
                        }
                    )*}
                    Ok(())
                }

                /// Checks the types of the operands, and returns the required type of the result.
                pub(crate) fn check(&self, checker: &Checker<'_>) -> Checked<Option<Ty>> {
                    match self {$(
                        $name::$variant $($fields)* => rule!(
                            checker, self, $variant [$($f: $ty),*], [$($rule)?] ($($arg),*) [$($gives)?]
                        ),
                    )*}
                }

                $(#[$of_column])*
                $vis fn $column(&self) -> $of {
                    match self {$($name::$variant $($fields)* => $value,)*}
                }
            }
        };
    };
}

/// Calls the form of a field: its type, or the one that the row names.
macro_rules! form {
    ([$ty:ty] $ask:ident($($arg:expr),*)) => {
        <$ty as Form>::$ask($($arg),*)
    };
    ([$ty:ty, $form:ty] $ask:ident($($arg:expr),*)) => {
        <$form as Form<$ty>>::$ask($($arg),*)
    };
}

/// The name of a field in the text.
macro_rules! label {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident, $label:literal) => {
        $label
    };
}

/// Applies the rule of a row.
macro_rules! rule {
    ($checker:ident, $op:ident, $variant:ident [$($f:ident: $ty:ty),*], [] ($($is:ident),*) [$($gives:ident)?]) => {{
        const TAKES: &[Is] = &[$(Is::$is),*];
        const _: () = assert!(
            TAKES.len() == 0 $(+ <$ty as Operands>::COUNT)*,
            concat!("the rule of `", stringify!($variant), "` does not name each of its operands")
        );
        let takes = TAKES;
        $(let takes = $checker.field($f, takes)?;)*
        Ok(None $(.or(Some($checker.result($op, Is::$gives))))?)
    }};
    ($checker:ident, $op:ident, $variant:ident [$($f:ident: $ty:ty),*], [$rule:ident] ($($arg:ident),*) []) => {
        $checker.$rule($($arg),*).map(Into::into)
    };
}

/// Declares a structure whose fields after `by name:` are written `name field`, in any order. The fields before them have code of
/// their own.
macro_rules! parts {
    (
        $(#[$of:meta])*
        pub struct $name:ident {
            $($(#[$head_doc:meta])* pub $head:ident: $head_ty:ty,)*
            by name:
            $($(#[$doc:meta])* pub $f:ident $(= $label:literal)?: $ty:ty $(as $form:ty)?,)*
        }
    ) => {
        $(#[$of])*
        pub struct $name {
            $($(#[$head_doc])* pub $head: $head_ty,)*
            $($(#[$doc])* pub $f: $ty,)*
        }

        const _: () = {
            use std::fmt;

            use $crate::form::Form;
            use $crate::line::{Line, Miss};
            use $crate::types::Value;
            use $crate::operands::Operands;
            use $crate::print::Out;
            use $crate::table::{form, label};

            impl Operands for $name {
                fn walk(&self, f: &mut impl FnMut(&Value)) {
                    $(Operands::walk(&self.$head, f);)*
                    $(Operands::walk(&self.$f, f);)*
                }

                fn walk_mut(&mut self, f: &mut impl FnMut(&mut Value)) {
                    $(Operands::walk_mut(&mut self.$head, f);)*
                    $(Operands::walk_mut(&mut self.$f, f);)*
                }
            }

            impl $name {
                pub(crate) fn print_parts(&self, out: &mut Out<'_, '_>) -> fmt::Result {
                    $(
                        out.field = label!($f $(, $label)?);
                        form!([$ty $(, $form)?] print(&self.$f, out))?;
                    )*
                    Ok(())
                }

                /// Parses the named fields, and joins them with the others.
                pub(crate) fn parse_parts(
                    line: &mut Line<'_, '_>
                    $(, $head: $head_ty)*
                ) -> Result<$name, Miss> {
                    $(
                        line.field = label!($f $(, $label)?);
                        let $f = form!([$ty $(, $form)?] parse(line))?;
                    )*
                    Ok($name { $($head,)* $($f,)* })
                }
            }
        };
    };
}

pub(crate) use {form, label, operations, parts, rows, rule};
