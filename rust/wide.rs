//! The same safe loops, compiled once more for wider vectors and chosen at run time.
//!
//! No intrinsics: the compiler vectorises each body for the features of the function it is
//! inlined into.  On other machines than x86-64 the one body is already compiled for what
//! every such machine has.

/// A loop over units that is worth compiling for wider vectors.
pub(crate) trait Kernel {
    /// What a slice is made of.
    type Unit;
    /// What the loop finds out.
    type Output;

    /// The loop itself; has to be `#[inline(always)]` to take on the features of its caller.
    fn run(units: &[Self::Unit]) -> Self::Output;
}

/// Run a kernel with the widest vectors this machine has.
#[inline]
pub(crate) fn run<K: Kernel>(units: &[K::Unit]) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the line above has just found AVX2 on this machine.
        return unsafe { run_with_avx2::<K>(units) };
    }
    K::run(units)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_with_avx2<K: Kernel>(units: &[K::Unit]) -> K::Output {
    K::run(units)
}
