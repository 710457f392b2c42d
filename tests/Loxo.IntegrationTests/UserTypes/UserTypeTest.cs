namespace Loxo.IntegrationTests.UserTypes;

/// <summary>A test with a data source of its own, which knows no types but the built-in ones yet, in a schema of its own.</summary>
public abstract class UserTypeTest(WaitMode mode) : DatabaseTest(mode)
{
    /// <summary>Where <see cref="DatabaseTest.Connection"/> comes from.</summary>
    protected PgDataSource Source { get; private set; } = null!;

    /// <summary>The first in the search path of every session.</summary>
    protected string Schema { get; private set; } = "public";

    protected override string ConnectionString => base.ConnectionString + $";Search Path={Schema},public";

    [SetUp]
    public async Task CreateSchema()
    {
        // Types of the name that other tests make must not be found.
        var schema = "types_" + Guid.NewGuid().ToString("N")[..12];
        await Execute($"CREATE SCHEMA {schema}");
        Schema = schema;
        await UseSource(_ => { });
    }

    [TearDown]
    public async Task DropSchema()
    {
        await Connection.DisposeAsync();
        await Source.DisposeAsync();
        await ElseWhere($"DROP SCHEMA {Schema} CASCADE");
        Schema = "public";
    }

    /// <summary>Goes on with a data source that is set up in another way.</summary>
    protected async Task UseSource(Action<PgDataSourceBuilder> configure)
    {
        await Connection.DisposeAsync();
        if (Source is not null)
            await Source.DisposeAsync();
        var builder = new PgDataSourceBuilder(ConnectionString);
        configure(builder);
        Source = builder.Build();
        Connection = Source.CreateConnection();
        await Mode.Open(Connection);
    }

    /// <summary>What a statement of one row and column returns, as <typeparamref name="T"/>.</summary>
    protected async Task<T> Value<T>(string sql, params object?[] positional)
    {
        await using var command = Command(sql, positional);
        await using var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        return reader.GetFieldValue<T>(0);
    }

    /// <summary>Runs statements on another connection, whose doings this data source does not see.</summary>
    protected async Task ElseWhere(string sql)
    {
        await using var connection = new PgConnection(ConnectionString + ";Application Name=elsewhere;Pooling=false");
        await Mode.Open(connection);
        await using var command = new PgCommand(sql, connection);
        await Mode.ExecuteNonQuery(command);
    }
}
