namespace Loxo.Tests;

public sealed class PgLaneOptionsTests
{
    [Test]
    public void A_data_source_keeps_the_options_that_it_was_built_with()
    {
        var builder = new PgDataSourceBuilder("Host=localhost;Username=alice;Maximum Pool Size=50");
        builder.UseLanes(static lanes => lanes.Maximum = 10);
        using var source = builder.Build();
        builder.UseLanes(static lanes => lanes.Maximum = 2);
        source.ResizePool(0, 50);
        Assert.That(source.Lanes!.Most, Is.EqualTo(10));
    }

    [Test]
    public void Changes_are_not_grouped_where_queries_are_not()
    {
        var builder = new PgDataSourceBuilder("Host=localhost;Username=alice");
        builder.UseLanes(static lanes => (lanes.GroupQueries, lanes.GroupChanges) = (false, true));
        Assert.That(builder.Build, Throws.InvalidOperationException.With.Message.Contains("GroupChanges needs GroupQueries"));
    }

    [Test]
    public void Numbers_below_one_are_refused()
    {
        var options = new PgLaneOptions();
        Assert.That(() => options.Minimum = 0, Throws.TypeOf<ArgumentOutOfRangeException>());
        Assert.That(() => options.Maximum = 0, Throws.TypeOf<ArgumentOutOfRangeException>());
    }
}
