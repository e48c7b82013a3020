//! What texts are measured by: the script rule, or a profile.

use crate::number;
use crate::profile::{Profile, Weigher};
use crate::script::Counts;
use crate::text::Text;
use std::fmt::{self, Write};
use std::sync::Arc;

/// A way to measure texts, in quarter-tokens.
#[derive(Clone, Debug)]
pub enum Measure {
    /// Exact sums: a text measures what its parts do.
    Script,
    /// A weight for each character, rounded up once a text.
    Profile(Arc<Profile>),
}

impl Measure {
    /// Quarter-tokens of a text.
    #[must_use]
    pub fn quarters(&self, text: Text<'_>) -> u64 {
        match self {
            Self::Script => text.counts().quarters(),
            Self::Profile(profile) => profile.quarters(text),
        }
    }

    /// Bytes that measuring a text has to read.
    #[must_use]
    pub fn bytes_to_read(&self, text: Text<'_>) -> usize {
        match self {
            Self::Script => text.bytes_to_read(),
            Self::Profile(_) => text.bytes(),
        }
    }

    /// Begin to measure JSON that comes in pieces and is never built.
    #[must_use]
    pub fn begin(&self) -> Json<'_> {
        match self {
            Self::Script => Json::Script(0),
            Self::Profile(profile) => Json::Profile(profile.weigher()),
        }
    }
}

/// JSON text measured as if it were written.
#[derive(Clone, Debug)]
pub enum Json<'m> {
    /// Quarter-tokens of what was written: one a character of ASCII.
    Script(u64),
    /// What was written, weighed.
    Profile(Weigher<'m>),
}

impl Json<'_> {
    /// Write a string, escaped and in quotes.
    pub fn string(&mut self, text: Text<'_>) {
        match self {
            Self::Script(quarters) => *quarters += text.json_counts().quarters(),
            Self::Profile(weigher) => weigher.json_text(text),
        }
    }

    /// Write ASCII as it is.
    pub fn ascii(&mut self, text: &str) {
        match self {
            Self::Script(quarters) => *quarters += Counts::of_ascii(text.len() as u64).quarters(),
            Self::Profile(weigher) => weigher.ascii(text.as_bytes()),
        }
    }

    /// Write an integer.
    pub fn int(&mut self, number: i64) {
        match self {
            Self::Script(quarters) => *quarters += Counts::of_ascii(number::int_length(number)).quarters(),
            Self::Profile(_) => write!(self, "{number}").expect("weighing cannot fail"),
        }
    }

    /// Write a float as Python does.
    pub fn float(&mut self, number: f64) {
        number::write_float(self, number).expect("weighing cannot fail");
    }

    /// Quarter-tokens of all that was written, rounded up.
    #[must_use]
    pub fn quarters(&self) -> u64 {
        match self {
            Self::Script(quarters) => *quarters,
            Self::Profile(weigher) => weigher.quarters(),
        }
    }
}

impl Write for Json<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.ascii(part);
        Ok(())
    }
}
