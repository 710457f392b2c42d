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
    public void The_defaults_go_with_the_number_of_processors()
    {
        var options = new PgLaneOptions();
        Assert.That(options.Minimum, Is.EqualTo(Math.Max(4, Environment.ProcessorCount)));
        Assert.That(options.Maximum, Is.EqualTo(4 * options.Minimum));
        Assert.That((options.GroupQueries, options.GroupChanges), Is.EqualTo((true, false)));
        options.Minimum = 3;
        Assert.That(options.Maximum, Is.EqualTo(12));
        options.Minimum = int.MaxValue;
        Assert.That((options.Maximum, options.MostIn(100)), Is.EqualTo((int.MaxValue, 50)));
    }

    [TestCase(100, 40, 40)]
    [TestCase(10, 40, 9)]
    [TestCase(2, 40, 1)]
    [TestCase(1, 40, 0)]
    public void One_session_of_the_pool_is_left_for_what_cannot_run_in_a_lane(int pool, int maximum, int most)
    {
        var builder = new PgDataSourceBuilder($"Host=localhost;Username=alice;Maximum Pool Size={pool}");
        builder.UseLanes(lanes => lanes.Maximum = maximum);
        using var source = builder.Build();
        Assert.That(source.Lanes!.Most, Is.EqualTo(most));
    }

    [TestCase(100)]
    [TestCase(20)]
    [TestCase(3)]
    [TestCase(2)]
    [TestCase(1)]
    public void Half_of_the_pool_is_left_unless_the_program_says_so(int pool)
    {
        var builder = new PgDataSourceBuilder($"Host=localhost;Username=alice;Multiplexing=true;Maximum Pool Size={pool}");
        builder.UseLanes(static lanes => lanes.Minimum = 64);
        using var source = builder.Build();
        Assert.That(source.Lanes!.Most, Is.EqualTo(Math.Min((pool + 1) / 2, pool - 1)));
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
