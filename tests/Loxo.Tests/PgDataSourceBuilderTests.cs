namespace Loxo.Tests;

/// <summary>What a builder makes of its connection string and options; nothing is opened.</summary>
public sealed class PgDataSourceBuilderTests
{
    private PgDataSourceBuilder _builder = null!;

    [SetUp]
    public void MakeBuilder() => _builder = new("Host=db;Username=alice;Password=secret");

    [Test]
    public void The_connection_string_is_read_and_can_be_changed_keyword_by_keyword()
    {
        Assert.That(_builder.ConnectionStringBuilder.Host, Is.EqualTo("db"));
        _builder.ConnectionStringBuilder.Database = "shop";
        Assert.That(_builder.ConnectionString, Does.Contain("Database=shop").And.Contain("Password=secret"));
        using var source = _builder.Build();
        Assert.That(source.ConnectionString, Does.Contain("shop").And.Not.Contain("secret"));
    }

    [Test]
    public void A_malformed_string_is_refused_at_once()
    {
        Assert.Throws<ArgumentException>(() => _ = new PgDataSourceBuilder("Nonsense=1"));
        Assert.That(new PgDataSourceBuilder().ConnectionString, Is.Empty);
    }

    [Test]
    public void A_builder_makes_several_data_sources_which_later_changes_do_not_reach()
    {
        using var first = _builder.Build();
        _builder.ConnectionStringBuilder.Database = "other";
        using var second = _builder.Build();
        Assert.That(second, Is.Not.SameAs(first));
        Assert.That((first.ConnectionString.Contains("other"), second.ConnectionString.Contains("other")), Is.EqualTo((false, true)));
    }

    [Test]
    public void Several_hosts_make_a_data_source_that_chooses()
    {
        _builder.ConnectionStringBuilder.Host = "one,two";
        using var source = _builder.Build();
        Assert.That(source, Is.TypeOf<PgMultiHostDataSource>());
        using var single = new PgDataSourceBuilder("Host=db;Username=alice").BuildMultiHost();
        Assert.That(single, Is.TypeOf<PgMultiHostDataSource>());
    }

    [Test]
    public void UseLanes_sets_Multiplexing_and_passes_the_options_on()
    {
        PgLaneOptions? options = null;
        Assert.That(_builder.UseLanes(given => options = given), Is.SameAs(_builder));
        Assert.That((_builder.ConnectionStringBuilder.Multiplexing, options), Is.EqualTo((true, options)).And.Not.EqualTo((true, default(PgLaneOptions))));
    }

    [Test]
    public void Values_out_of_range_are_refused_at_once()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => _builder.UseStatementStatistics(0));
        Assert.Throws<ArgumentOutOfRangeException>(() => _builder.UseStatementStatistics(100_001));
        Assert.Throws<ArgumentOutOfRangeException>(() => _builder.UseSlowCommandThreshold(TimeSpan.FromSeconds(-1)));
        Assert.That(_builder.UseSlowCommandThreshold(Timeout.InfiniteTimeSpan), Is.SameAs(_builder));
        Assert.Throws<ArgumentOutOfRangeException>(() => _builder.UseLeakThreshold(TimeSpan.FromDays(25)));
        Assert.Throws<ArgumentOutOfRangeException>(() => _builder.UseLeakThreshold(TimeSpan.FromSeconds(1), double.NaN));
        Assert.Throws<ArgumentNullException>(() => _builder.ConfigureTracing(null!));
    }

    [Test]
    public void Both_password_providers_are_given_or_none()
    {
        Assert.Throws<ArgumentException>(() => _builder.UsePasswordProvider(static _ => "x", null));
        Assert.That(_builder.UsePasswordProvider(null, null), Is.SameAs(_builder));
    }
}
