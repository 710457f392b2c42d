using Loxo.Types;

namespace Loxo.Tests.Types;

public class DateTimeTextFormatsTests
{
    [TestCase("2024-02-29", "00002279")]
    [TestCase("0001-12-31 BC", "fff4dbf8")]
    [TestCase("4714-11-24 BC", "ffda97a7")]
    [TestCase("5874897-12-31", "7fda970c")]
    [TestCase("infinity", "7fffffff")]
    [TestCase("-infinity", "80000000")]
    public void A_date_is_ISO(string text, string hex) => FormCheck.BothWays(new DateTextFormat(), text, hex);

    [TestCase("00:00:00", "0000000000000000")]
    [TestCase("12:34:56.789", "0000000a8be62608")]
    [TestCase("24:00:00", "000000141dd76000")]
    public void A_time_has_up_to_six_decimals(string text, string hex) => FormCheck.BothWays(new TimeTextFormat(), text, hex);

    [TestCase("12:34:56.789+05:30", "0000000a8be62608ffffb2a8", "12:34:56.789+05:30")]
    [TestCase("00:00:00-14", "00000000000000000000c4e0", "00:00:00-14")]
    [TestCase("12:00:00+00:19:32", "0000000a0eebb000fffffb6c", "12:00:00+00:19:32")]
    public void A_timetz_has_an_offset(string text, string hex, string shown)
    {
        Assert.That(FormCheck.ToBinary(new TimeTzTextFormat(), text), Is.EqualTo(hex));
        FormCheck.BothWays(new TimeTzTextFormat(), shown, hex);
    }

    [TestCase("2024-02-29 12:34:56.789012", "0002b58341728614")]
    [TestCase("1999-12-31 23:59:59.999999", "ffffffffffffffff")]
    [TestCase("294276-12-31 23:59:59.999999", "7fffff5bb3b29fff")]
    [TestCase("4714-11-24 00:00:00 BC", "fd0f7cc1411fa000")]
    [TestCase("infinity", "7fffffffffffffff")]
    [TestCase("-infinity", "8000000000000000")]
    public void A_timestamp_is_ISO(string text, string hex) => FormCheck.BothWays(new TimestampTextFormat(hasZone: false), text, hex);

    [TestCase("2024-02-29 18:04:56.789012+05:30", "0002b58341728614", "2024-02-29 12:34:56.789012+00")]
    [TestCase("2024-02-28 22:34:56.789012-14", "0002b58341728614", "2024-02-29 12:34:56.789012+00")]
    [TestCase("0044-03-15 12:00:00+00 BC", "ff1af9e8fb46d000", "0044-03-15 12:00:00+00 BC")]
    public void A_timestamptz_has_an_offset(string text, string hex, string shown)
    {
        Assert.That(FormCheck.ToBinary(new TimestampTextFormat(hasZone: true), text), Is.EqualTo(hex));
        FormCheck.BothWays(new TimestampTextFormat(hasZone: true), shown, hex);
    }

    [TestCase("1 year 2 mons -3 days +04:05:06.789", "000000036c97ca88fffffffd0000000e")]
    [TestCase("-00:00:00.000001", "ffffffffffffffff0000000000000000")]
    [TestCase("178956970 years 7 mons", "0000000000000000000000007fffffff")]
    [TestCase("-178956970 years -8 mons -2147483648 days", "00000000000000008000000080000000")]
    [TestCase("-2562047788:00:54.775808", "80000000000000000000000000000000")]
    [TestCase("25:00:00", "00000014f46b04000000000000000000")]
    [TestCase("infinity", "7fffffffffffffff7fffffff7fffffff")]
    [TestCase("-infinity", "80000000000000008000000080000000")]
    public void An_interval_is_in_the_style_of_postgres(string text, string hex) => FormCheck.BothWays(new IntervalTextFormat(), text, hex);

    [Test]
    public void Other_styles_are_refused_with_the_setting_to_change()
    {
        FormCheck.Refuses(new DateTextFormat(), "02/29/2024");
        FormCheck.Refuses(new DateTextFormat(), "2023-02-29");
        FormCheck.Refuses(new DateTextFormat(), "0000-01-01");
        FormCheck.Refuses(new DateTextFormat(), "2024-02-29 AD");
        FormCheck.Refuses(new TimeTextFormat(), "12:34");
        FormCheck.Refuses(new TimeTextFormat(), "12:60:00");
        FormCheck.Refuses(new TimeTextFormat(), "12:00:00.1234567");
        FormCheck.Refuses(new TimeTzTextFormat(), "12:34:56");
        FormCheck.Refuses(new TimestampTextFormat(hasZone: true), "2024-02-29 12:34:56");
        FormCheck.Refuses(new TimestampTextFormat(hasZone: false), "2024-02-29 12:34:56+00");
        FormCheck.Refuses(new TimestampTextFormat(hasZone: false), "9000000-01-01 00:00:00");
        FormCheck.Refuses(new IntervalTextFormat(), "P1Y2M");
        FormCheck.Refuses(new IntervalTextFormat(), "1 fortnight");
        FormCheck.Refuses(new IntervalTextFormat(), "3000000000 days");
        FormCheck.Refuses(new IntervalTextFormat(), "2147483647 years");
        FormCheck.Refuses(new IntervalTextFormat(), "9999999999:00:00");
        FormCheck.Refuses(new IntervalTextFormat(), "");
        Assert.That(() => FormCheck.ToBinary(new DateTextFormat(), "29.02.2024"), Throws.Exception.With.Message.Contains("DateStyle has to be ISO"));
        Assert.That(() => FormCheck.ToBinary(new IntervalTextFormat(), "P1Y"), Throws.Exception.With.Message.Contains("IntervalStyle has to be postgres"));
    }
}
