//! How many tokens a text is, by the script of its characters.
//!
//! The rule is [`script`]'s: four ASCII characters a token, one Chinese, Japanese or Korean
//! character a token, two of anything else.  [`lanes`] applies it to strings of 1-, 2- and 4-byte
//! code points, [`utf8`] to bytes, [`json`] to a string as it stands inside JSON,
//! and [`number`] knows the length of numbers there; [`oracle`] says
//! the same one code point at a time and is what the fast ones are tested against.
//!
//! A [`profile`] weighs characters by finer [`classes`], which are given at run time.

pub mod arrow;
pub mod classes;
pub mod json;
pub mod lanes;
pub mod measure;
pub mod number;
pub mod oracle;
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "loads vectors, and calls code for vectors the machine was seen to have")]
mod pages;
pub mod profile;
pub mod script;
pub mod text;
pub mod utf8;
mod weights;
#[expect(unsafe_code, reason = "calls code compiled for vectors the machine was seen to have")]
mod wide;

#[cfg(feature = "python")]
#[expect(unsafe_code, reason = "borrows the memory of Python's strings and of Arrow's arrays")]
mod python;
#[cfg(test)]
mod tests;
