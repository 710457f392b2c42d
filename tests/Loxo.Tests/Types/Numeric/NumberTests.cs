using Loxo.Types;

namespace Loxo.Tests.Types;

public class NumberTests
{
    [Test]
    public void The_same_type_passes_through() => Assert.That(Number.FromServer<int, int>(42, "integer"), Is.EqualTo(42));

    [Test]
    public void A_fraction_lost_on_reading_names_both_types() =>
        Assert.That(() => Number.FromServer<decimal, int>(2.5m, "numeric"), Throws.TypeOf<InvalidCastException>()
            .With.Message.EqualTo("The value 2.5 of type numeric cannot become int. Read it as decimal."));

    [Test]
    public void A_whole_number_of_a_type_with_fractions_is_whole() => Assert.That(Number.FromServer<decimal, int>(2.00m, "numeric"), Is.EqualTo(2));

    [Test]
    public void Fractions_stay_where_the_other_type_has_them_too() => Assert.That(Number.ToServer<float, double>(2.5f, "double precision"), Is.EqualTo(2.5));

    [Test]
    public void NaN_has_no_whole_number() =>
        Assert.That(() => Number.ToServer<double, long>(double.NaN, "bigint"), Throws.TypeOf<OverflowException>());

    [Test]
    public void Numbers_are_shown_without_the_culture_of_the_thread()
    {
        var culture = Thread.CurrentThread.CurrentCulture;
        var withComma = (System.Globalization.CultureInfo)culture.Clone();
        withComma.NumberFormat.NumberDecimalSeparator = ",";
        Thread.CurrentThread.CurrentCulture = withComma;
        try
        {
            Assert.That(() => Number.ToServer<decimal, short>(2.5m, "smallint"), Throws.Exception.With.Message.Contains("2.5"));
        }
        finally
        {
            Thread.CurrentThread.CurrentCulture = culture;
        }
    }
}
