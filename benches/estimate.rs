//! Bytes a second per lane and size, beside a plain sum over the same bytes and the oracle.
//!
//! The sum is the limit: what it costs this machine to read the text at all.  With
//! `LONGTURN_BENCH_LARGE=1` the texts are larger than any cache, and the output is one line per
//! text with its share of the sum; otherwise Criterion measures sizes from nothing to 64 MB.

use criterion::{BenchmarkId, Criterion, Throughput};
use longturn::profile::Profile;
use longturn::text::Text;
use longturn::{json, lanes, oracle, utf8};
use std::hint::black_box;
use std::time::Instant;

/// Bytes of text; the oracle takes part up to [`ORACLE_LIMIT`].
const SIZES: [usize; 8] = [0, 16, 64, 256, 4 << 10, 64 << 10, 1 << 20, 64 << 20];
const ORACLE_LIMIT: usize = 64 << 10;

/// More than the last-level cache of the largest servers.
const LARGE: usize = 1 << 29;
const LARGE_ROUNDS: usize = 5;

const LATIN: &str = "Le café était fermé ; nous sommes allés à l'hôtel près d'ici. ";
const MIXED: &str = "Съешь ещё этих мягких французских булок. \
    永和九年，岁在癸丑，暮春之初。かな交じり文、훈민정음. def run(x): return x + 1\n";
const ASTRAL: &str = "Good 👍 — хорошо, 很好 𠮷野家 — done ✅.\n";

fn main() {
    if std::env::var_os("LONGTURN_BENCH_LARGE").is_some() {
        return large();
    }
    let mut criterion = Criterion::default().configure_from_args();
    let profile = oracle::Profile::sample().profile();
    for size in SIZES {
        let (bytes, units, points, text) = texts(size);
        small(
            &mut criterion,
            "latin1",
            &bytes,
            &of_latin1(&profile),
            &|bytes| oracle::counts(bytes.iter().map(|&byte| byte.into())).quarters(),
        );
        small(
            &mut criterion,
            "ucs2",
            &units,
            &of_ucs2(&profile),
            &|units| oracle::counts(units.iter().map(|&unit| unit.into())).quarters(),
        );
        small(
            &mut criterion,
            "ucs4",
            &points,
            &of_ucs4(&profile),
            &|points| oracle::counts(points.iter().copied()).quarters(),
        );
        small(
            &mut criterion,
            "utf8",
            &text,
            &of_utf8(&profile),
            &|bytes| oracle::counts(oracle::utf8_code_points(bytes)).quarters(),
        );
    }
    criterion.final_summary();
}

type Counter<'a, T> = Box<dyn Fn(&[T]) -> u64 + 'a>;
type Named<'a, T> = [(&'static str, Counter<'a, T>); 4];

fn of_latin1(profile: &Profile) -> Named<'_, u8> {
    [
        ("count", Box::new(|bytes| lanes::latin1(bytes).quarters())),
        ("json", Box::new(|bytes| json::latin1(bytes).quarters())),
        (
            "weigh",
            Box::new(|bytes| profile.quarters(Text::Latin1(bytes))),
        ),
        (
            "weigh json",
            Box::new(|bytes| weighed_json(profile, Text::Latin1(bytes))),
        ),
    ]
}

fn of_ucs2(profile: &Profile) -> Named<'_, u16> {
    [
        ("count", Box::new(|units| lanes::ucs2(units).quarters())),
        ("json", Box::new(|units| json::ucs2(units).quarters())),
        (
            "weigh",
            Box::new(|units| profile.quarters(Text::Ucs2(units))),
        ),
        (
            "weigh json",
            Box::new(|units| weighed_json(profile, Text::Ucs2(units))),
        ),
    ]
}

fn of_ucs4(profile: &Profile) -> Named<'_, u32> {
    [
        ("count", Box::new(|points| lanes::ucs4(points).quarters())),
        ("json", Box::new(|points| json::ucs4(points).quarters())),
        (
            "weigh",
            Box::new(|points| profile.quarters(Text::Ucs4(points))),
        ),
        (
            "weigh json",
            Box::new(|points| weighed_json(profile, Text::Ucs4(points))),
        ),
    ]
}

fn of_utf8(profile: &Profile) -> Named<'_, u8> {
    [
        ("count", Box::new(|bytes| utf8::bytes(bytes).quarters())),
        ("json", Box::new(|bytes| json::bytes(bytes).quarters())),
        (
            "weigh",
            Box::new(|bytes| profile.quarters(Text::Utf8(bytes))),
        ),
        (
            "weigh json",
            Box::new(|bytes| weighed_json(profile, Text::Utf8(bytes))),
        ),
    ]
}

fn weighed_json(profile: &Profile, text: Text<'_>) -> u64 {
    let mut weigher = profile.weigher();
    weigher.json_text(text);
    weigher.quarters()
}

fn small<T: Unit>(
    criterion: &mut Criterion,
    lane: &str,
    units: &[T],
    ours: &Named<'_, T>,
    oracle: &dyn Fn(&[T]) -> u64,
) {
    let size = size_of_val(units);
    let mut group = criterion.benchmark_group(lane);
    group.throughput(Throughput::Bytes(size as u64));
    for (name, count) in ours {
        group.bench_function(BenchmarkId::new(*name, size), |bench| {
            bench.iter(|| count(black_box(units)))
        });
    }
    group.bench_function(BenchmarkId::new("sum", size), |bench| {
        bench.iter(|| T::sum(black_box(units)))
    });
    if size <= ORACLE_LIMIT {
        group.bench_function(BenchmarkId::new("oracle", size), |bench| {
            bench.iter(|| oracle(black_box(units)))
        });
    }
    group.finish();
}

fn large() {
    let profile = oracle::Profile::sample().profile();
    let (bytes, units, points, text) = texts(LARGE);
    shares("latin1", &bytes, &of_latin1(&profile));
    shares("ucs2", &units, &of_ucs2(&profile));
    shares("ucs4", &points, &of_ucs4(&profile));
    shares("utf8", &text, &of_utf8(&profile));
}

fn shares<T: Unit>(lane: &str, units: &[T], ours: &Named<'_, T>) {
    let size = size_of_val(units) as f64;
    for (name, count) in ours {
        let (mut best, mut best_sum) = (f64::INFINITY, f64::INFINITY);
        // Taken in turns, so that a busy neighbour slows both.
        for _ in 0..LARGE_ROUNDS {
            best_sum = best_sum.min(seconds(|| T::sum(black_box(units))));
            best = best.min(seconds(|| count(black_box(units))));
        }
        let (speed, limit) = (size / best / 1e9, size / best_sum / 1e9);
        println!(
            "{lane:7} {name:10} {speed:6.2} GB/s, sum {limit:6.2} GB/s, share {:.2}",
            speed / limit
        );
    }
}

fn seconds<R>(work: impl FnOnce() -> R) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

/// The same number of bytes for each lane.
fn texts(size: usize) -> (Vec<u8>, Vec<u16>, Vec<u32>, Vec<u8>) {
    let latin = LATIN.chars().map(|character| u32::from(character) as u8);
    let mixed: Vec<u16> = MIXED.encode_utf16().collect();
    let astral: Vec<u32> = ASTRAL.chars().map(u32::from).collect();
    (
        latin.cycle().take(size).collect(),
        mixed.iter().copied().cycle().take(size / 2).collect(),
        astral.iter().copied().cycle().take(size / 4).collect(),
        MIXED.bytes().cycle().take(size).collect(),
    )
}

/// A lane's unit, to be read and nothing else.
trait Unit: Copy {
    fn sum(units: &[Self]) -> Self;
}

impl Unit for u8 {
    fn sum(units: &[Self]) -> Self {
        units.iter().fold(0, |sum, &unit| sum.wrapping_add(unit))
    }
}

impl Unit for u16 {
    fn sum(units: &[Self]) -> Self {
        units.iter().fold(0, |sum, &unit| sum.wrapping_add(unit))
    }
}

impl Unit for u32 {
    fn sum(units: &[Self]) -> Self {
        units.iter().fold(0, |sum, &unit| sum.wrapping_add(unit))
    }
}
