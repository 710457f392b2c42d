using NodaTime;

namespace Loxo.Noda.Tests;

public class MultirangeCodecsTests
{
    private static readonly Instant Epoch = Instant.FromUtc(2000, 1, 1, 0, 0);
    private static readonly MultirangeArrayCodec<Interval, IntervalCodec> Intervals = new(new IntervalCodec(), "tstzmultirange");
    private static readonly MultirangeListCodec<DateInterval, DateIntervalCodec> Dates = new(new DateIntervalCodec(), "datemultirange");

    [Test]
    public void Each_range_is_behind_its_length()
    {
        CodecCheck.BothWays(Intervals, [], "00000000");
        CodecCheck.BothWays(Intervals, [new Interval(null, Epoch), new Interval(null, null)], "00000002" + "0000000d08000000080000000000000000" + "0000000118");
        CodecCheck.BothWays(Dates, [new DateInterval(new LocalDate(2000, 1, 1), new LocalDate(2000, 1, 2))], "00000001" + "0000001106000000040000000000000004" + "00000001");
        CodecCheck.BothWays(Dates, [new DateInterval(new LocalDate(2000, 1, 1), LocalDate.MaxIsoValue)], "00000001" + "00000009120000000400000000");
    }

    [TestCase("7fffffff")]
    [TestCase("ffffffff")]
    [TestCase("000000020000000118")]
    [TestCase("00000001ffffffff")]
    public void A_number_of_ranges_that_the_bytes_cannot_hold_is_refused(string hex) =>
        Assert.That(() => CodecCheck.Read(Intervals, hex), Throws.TypeOf<PgException>());
}
