//! The macros behind the table of operations: from its rows come the enums, and
//! all that goes through their fields one by one.

/// Declares enums by rows. Of each row the variant is
///
/// ```text
/// Name(field: Type as Form, …) or Name { field: Type as Form, … }
///     = "text", rule, value of the column;
/// ```
///
/// where the names of a tuple's fields are for the row alone. A field is read,
/// printed and walked over in the order of the row, as its [`Form`](crate::form::Form)
/// says, which is its type where none is named. The rule is either what the
/// operands must be and what the result is, `(U32, W32) -> V32`, in words of
/// [`Is`](crate::verify::Is), or a method of the verifier and the fields that it
/// is given, `select(cond, a, b)`. The last column is an expression of the
/// fields; the head of the enum names it.
macro_rules! operations {
    ($(
        $(#[$of_enum:meta])*
        pub enum $name:ident, $(#[$of_column:meta])* $column:ident: $of:ty {$(
            $(#[$doc:meta])*
            $variant:ident
            $(($($t:ident: $t_ty:ty $(as $t_form:ty)?),*))?
            $({$($(#[$s_doc:meta])* $s:ident: $s_ty:ty $(as $s_form:ty)?),* $(,)?})?
            = $text:literal, $($rule:ident)? ($($arg:ident),*) $(-> $gives:ident)?, $value:expr;
        )*}
    )*) => {$(
        $(#[$of_enum])*
        pub enum $name {$(
            $(#[$doc])*
            $variant $(($($t_ty),*))? $({$($(#[$s_doc])* $s: $s_ty),*})?,
        )*}

        $crate::table::rows! {
            $name, $(#[$of_column])* $column: $of;
            $(
                // The fields, as they stand in patterns and expressions.
                $variant [$(($($t),*))? $({$($s),*})?]
                [$($($t: $t_ty, [$($t_form)?];)*)? $($($s: $s_ty, [$($s_form)?];)*)?]
                = $text, [$($rule)?] ($($arg),*) [$($gives)?], $value;
            )*
        }
    )*};
}

/// What follows from rows whose fields are listed alike.
macro_rules! rows {
    ($name:ident, $(#[$of_column:meta])* $column:ident: $of:ty; $(
        $variant:ident [$($fields:tt)*] [$($f:ident: $ty:ty, [$($form:ty)?];)*]
        = $text:literal, [$($rule:ident)?] ($($arg:ident),*) [$($gives:ident)?], $value:expr;
    )*) => {
        impl $crate::operands::Operands for $name {
            fn walk(&self, f: &mut impl FnMut(&Value)) {
                match self {$(
                    $name::$variant $($fields)* => {$($crate::operands::Operands::walk($f, f);)*}
                )*}
            }

            fn walk_mut(&mut self, f: &mut impl FnMut(&mut Value)) {
                match self {$(
                    $name::$variant $($fields)* => {$($crate::operands::Operands::walk_mut($f, f);)*}
                )*}
            }
        }

        impl $crate::form::Form for $name {
            fn print(op: &$name, out: &mut $crate::print::Out<'_, '_>) -> std::fmt::Result {
                match op {$(
                    $name::$variant $($fields)* => {
                        out.name($text)?;
                        $(<$crate::table::form!($ty $(, $form)?)>::print($f, out)?;)*
                        $(<$crate::table::form!($ty $(, $form)?)>::print_rest($f, out)?;)*
                    }
                )*}
                Ok(())
            }

            fn parse(line: &mut $crate::line::Line<'_, '_>) -> Result<$name, $crate::line::Miss> {
                $(
                    let row = line.row($text, |line| {
                        $(let mut $f = <$crate::table::form!($ty $(, $form)?)>::parse(line)?;)*
                        line.name_is_read()?;
                        $(<$crate::table::form!($ty $(, $form)?)>::parse_rest(&mut $f, line)?;)*
                        Ok($name::$variant $($fields)*)
                    });
                    if !matches!(row, Err($crate::line::Miss::Row)) {
                        return row;
                    }
                )*
                Err($crate::line::Miss::Row)
            }
        }

        #[allow(unused_variables)]
        impl $name {
            /// The type that the result must have, if the operands are as they must be.
            pub(crate) fn check(&self, checker: &$crate::verify::Checker<'_>) -> $crate::verify::Checked<Option<Ty>> {
                match self {$(
                    $name::$variant $($fields)* => $crate::table::rule!(
                        checker, self, [$($ty),*], [$($rule)?] ($($arg),*) [$($gives)?]
                    ),
                )*}
            }

            $(#[$of_column])*
            pub fn $column(&self) -> $of {
                match self {$($name::$variant $($fields)* => $value,)*}
            }
        }
    };
}

/// How a field is written: by the type of the row, or by the form it names.
macro_rules! form {
    ($ty:ty) => {
        $ty
    };
    ($ty:ty, $form:ty) => {
        $form
    };
}

/// Applies the rule of a row.
macro_rules! rule {
    ($checker:ident, $op:ident, [$($ty:ty),*], [] ($($is:ident),*) [$($gives:ident)?]) => {{
        const {
            let operands = 0 $(+ <$ty as $crate::operands::Operands>::COUNT)*;
            let takes: &[$crate::verify::Is] = &[$($crate::verify::Is::$is),*];
            assert!(operands == takes.len(), "the rule of the row names each operand");
        }
        #[allow(unused_mut, unused_assignments)]
        let mut gives = None;
        $(gives = Some($crate::verify::Is::$gives);)?
        $checker.signature($op, &[$($crate::verify::Is::$is),*], gives)
    }};
    ($checker:ident, $op:ident, [$($ty:ty),*], [$rule:ident] ($($arg:ident),*) []) => {
        $checker.$rule($($arg),*).map(Into::into)
    };
}

pub(crate) use {form, operations, rows, rule};
