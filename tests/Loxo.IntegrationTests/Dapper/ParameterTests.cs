using System.Data;
using Dapper;

namespace Loxo.IntegrationTests.Dapper;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ParameterTests(WaitMode mode) : DapperTest(mode)
{
    private enum Level : short
    {
        Low = 1,
        High = 2,
    }

    private sealed record Dated(DateOnly Day, TimeOnly Time, DateOnly? Other);

    private sealed record Rated(Level Level, Level? Former)
    {
        public Rated(string level, short former)
            : this(Enum.Parse<Level>(level, ignoreCase: true), (Level)former)
        {
        }
    }

    private static readonly int[] OneAndThree = [1, 3];

    [Test]
    public async Task An_anonymous_objects_properties_are_the_parameters()
    {
        Assert.That(await QuerySingle<string>("SELECT name FROM customer WHERE id = @Id AND name LIKE @Like", new { id = 1, like = "A%" }), Is.EqualTo("Ada"));
        Assert.That(await QuerySingle<string>("SELECT name FROM customer WHERE id = :id", new { Id = 2, }), Is.EqualTo("Bob"));
    }

    [Test]
    public async Task Properties_that_the_text_does_not_use_are_left_out()
    {
        Assert.That(await QuerySingle<int>("SELECT @a", new { a = 1, ab = new Uri("http://unused.example") }), Is.EqualTo(1));
    }

    [Test]
    public async Task A_list_in_IN_is_expanded()
    {
        Assert.That(await Query<string>("SELECT name FROM customer WHERE id IN @ids ORDER BY id", new { ids = new List<int> { 1, 3 } }), Is.EqualTo(new[] { "Ada", "Cy" }));
        Assert.That(await Query<string>("SELECT name FROM customer WHERE name IN @names", new { names = Enumerable.Repeat("Bob", 1) }), Is.EqualTo(new[] { "Bob" }));
        Assert.That(await Query<string>("SELECT name FROM customer WHERE name IN @names", new { names = Array.Empty<string>() }), Is.Empty);
    }

    // Dapper expands every list, unless the connection's class has the one name that it knows, and refuses DateOnly and TimeOnly as
    // parameters; what a parameter of one's own adds is left alone.
    [Test]
    public async Task A_list_with_ANY_is_sent_as_an_array()
    {
        const string Sql = "SELECT name FROM customer WHERE id = ANY(@ids) ORDER BY id";
        Assert.That(await Query<string>(Sql, new { ids = new Parameter(OneAndThree) }), Is.EqualTo(new[] { "Ada", "Cy" }));
        Assert.That(await Query<string>(Sql, new { ids = new Parameter(new List<int>(OneAndThree)) }), Is.EqualTo(new[] { "Ada", "Cy" }));
        Assert.That(await Query<string>(Sql, new { ids = new Parameter(Array.Empty<int>()) }), Is.Empty);
    }

    [Test]
    public async Task The_error_of_a_list_that_was_expanded_says_what_to_do()
    {
        var error = await Catch<PostgresException>(() => Query<string>("SELECT name FROM customer WHERE id = ANY(@ids)", new { ids = OneAndThree }));
        Assert.That(error.SqlState, Is.EqualTo("42809"));
        Assert.That(error.Message, Does.Contain("LoxoDapper.Register()"));
    }

    [Test]
    public async Task Null_is_NULL()
    {
        Assert.That(await QuerySingle<bool>("SELECT @a::text IS NULL AND @b::int IS NULL", new { a = (string?)null, b = (int?)null }), Is.True);
        Assert.That(await DapperExecute("UPDATE customer SET email = @email WHERE id = @id", new { id = 1, email = (string?)null }), Is.EqualTo(1));
        Assert.That(await Query<string?>("SELECT email FROM customer WHERE id = 1"), Is.EqualTo(new string?[] { null }));
    }

    [Test]
    public async Task A_list_of_objects_runs_the_command_for_each()
    {
        var added = new[] { new { id = 7, name = "Di" }, new { id = 8, name = "Ed" }, new { id = 9, name = "Flo" } };

        Assert.That(await DapperExecute("INSERT INTO customer (id, name) VALUES (@id, @name)", added), Is.EqualTo(3));

        Assert.That(await Query<string>("SELECT name FROM customer WHERE id >= 7 ORDER BY id"), Is.EqualTo(new[] { "Di", "Ed", "Flo" }));
    }

    [Test]
    public async Task DynamicParameters_take_values_names_with_prefixes_and_templates()
    {
        var parameters = new DynamicParameters(new { a = 1 });
        parameters.Add("@b", 2L);
        parameters.Add(":c", "three", DbType.String, size: 100);
        parameters.Add("d", null, DbType.Int32);

        var row = await QuerySingle<(int, long, string, int?)>("SELECT @a, @b, @c, @d", parameters);

        Assert.That(row, Is.EqualTo((1, 2L, "three", (int?)null)));
    }

    [Test]
    public async Task DynamicParameters_receive_outputs_of_a_procedure()
    {
        await Execute("CREATE PROCEDURE pg_temp.swap(a int, INOUT b int, OUT c text) LANGUAGE plpgsql AS $$ BEGIN c := a || '/' || b; b := a + b; END $$");
        var parameters = new DynamicParameters();
        parameters.Add("a", 10);
        parameters.Add("b", 5, DbType.Int32, ParameterDirection.InputOutput);
        parameters.Add("c", dbType: DbType.String, direction: ParameterDirection.Output, size: 50);

        await DapperExecute("pg_temp.swap", parameters, type: CommandType.StoredProcedure);

        Assert.That(parameters.Get<int>("b"), Is.EqualTo(15));
        Assert.That(parameters.Get<string>("c"), Is.EqualTo("10/5"));
    }

    [Test]
    public async Task Enums_go_out_as_numbers_and_come_back()
    {
        Assert.That(await QuerySingle<Level>("SELECT @level", new { level = Level.High }), Is.EqualTo(Level.High));
        Assert.That(await QuerySingle<Level?>("SELECT @level::smallint", new { level = (Level?)null }), Is.Null);
        Assert.That(await QuerySingle<Rated>("SELECT 'low' AS level, 2::smallint AS former"), Is.EqualTo(new Rated(Level.Low, Level.High)));
    }

    [Test]
    public async Task Values_of_all_common_types_go_out_and_come_back()
    {
        var guid = Guid.Parse("6f9619ff-8b86-d011-b42d-00c04fc964ff");
        Assert.That(await QuerySingle<bool>("SELECT @v", new { v = true }), Is.True);
        Assert.That(await QuerySingle<byte>("SELECT @v", new { v = (byte)7 }), Is.EqualTo(7));
        Assert.That(await QuerySingle<short>("SELECT @v", new { v = (short)-7 }), Is.EqualTo(-7));
        Assert.That(await QuerySingle<long>("SELECT @v", new { v = long.MaxValue }), Is.EqualTo(long.MaxValue));
        Assert.That(await QuerySingle<decimal>("SELECT @v", new { v = 1.23m }), Is.EqualTo(1.23m));
        Assert.That(await QuerySingle<float>("SELECT @v", new { v = 1.5f }), Is.EqualTo(1.5f));
        Assert.That(await QuerySingle<double>("SELECT @v", new { v = 1.5 }), Is.EqualTo(1.5));
        Assert.That(await QuerySingle<string>("SELECT @v", new { v = "é" }), Is.EqualTo("é"));
        Assert.That(await QuerySingle<char>("SELECT @v", new { v = 'x' }), Is.EqualTo('x'));
        Assert.That(await QuerySingle<Guid>("SELECT @v", new { v = guid }), Is.EqualTo(guid));
        Assert.That(await QuerySingle<byte[]>("SELECT @v", new { v = new byte[] { 1, 2 } }), Is.EqualTo(new byte[] { 1, 2 }));
        Assert.That(await QuerySingle<TimeSpan>("SELECT @v", new { v = TimeSpan.FromMinutes(61) }), Is.EqualTo(TimeSpan.FromMinutes(61)));
        Assert.That(await QuerySingle<int[]>("SELECT @v", new { v = new Parameter(OneAndThree) }), Is.EqualTo(OneAndThree));
    }

    [Test]
    public async Task Dates_and_times_go_out_and_come_back()
    {
        var utc = new DateTime(2024, 5, 6, 7, 8, 9, DateTimeKind.Utc);
        var local = new DateTime(2024, 5, 6, 7, 8, 9, DateTimeKind.Unspecified);
        Assert.That(await QuerySingle<DateTime>("SELECT @v", new { v = utc }), Is.EqualTo(utc).And.Property("Kind").EqualTo(DateTimeKind.Utc));
        Assert.That(await QuerySingle<DateTime>("SELECT @v", new { v = local }), Is.EqualTo(local));
        Assert.That(await QuerySingle<DateTime?>("SELECT @v::timestamp", new { v = (DateTime?)null }), Is.Null);
        Assert.That(await QuerySingle<DateTime>("SELECT @v", new { v = new DateTimeOffset(utc) }), Is.EqualTo(utc));
        var dated = await QuerySingle<Dated>(
            "SELECT @day AS day, @time AS time, NULL::date AS other", new { day = new Parameter(new DateOnly(2024, 5, 6)), time = new Parameter(new TimeOnly(7, 8, 9)) });
        Assert.That(dated, Is.EqualTo(new Dated(new DateOnly(2024, 5, 6), new TimeOnly(7, 8, 9), null)));
        Assert.That(await QuerySingle<DateTime>("SELECT @v::timestamptz", new { v = utc }), Is.EqualTo(utc));
    }

    [Test]
    public async Task A_literal_replacement_is_part_of_the_text()
    {
        Assert.That(await QuerySingle<string>("SELECT name FROM customer WHERE id = {=id}", new { id = 3 }), Is.EqualTo("Cy"));
    }

    [Test]
    public async Task An_ICustomQueryParameter_adds_a_parameter_of_ours()
    {
        Assert.That(await QuerySingle<string>("SELECT @doc ->> 'a'", new { doc = new Parameter("""{"a": "b"}""", PgDbType.Jsonb) }), Is.EqualTo("b"));
    }

    [Test]
    public async Task Names_in_comments_strings_and_operators_are_no_parameters()
    {
        Assert.That(await QuerySingle<string>("SELECT '@id' || @id /* @id */ -- @id\n", new { id = 1 }), Is.EqualTo("@id1"));
        Assert.That(await QuerySingle<bool>("SELECT ARRAY[1, 2] @> ARRAY[@id]", new { id = 1 }), Is.True);
        Assert.That(await QuerySingle<int>("SELECT @id::int", new { id = "12" }), Is.EqualTo(12));
    }

    [Test]
    public async Task Commands_run_in_the_transaction_that_is_passed()
    {
        var transaction = await Mode.Run<System.Data.Common.DbTransaction>(
            () => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync());
        await DapperExecute("UPDATE customer SET name = 'gone'", transaction: transaction);
        Assert.That(await Query<string>("SELECT DISTINCT name FROM customer", transaction: transaction), Is.EqualTo(new[] { "gone" }));
        await Mode.Rollback(transaction);

        Assert.That(await Query<string>("SELECT name FROM customer WHERE id = 1"), Is.EqualTo(new[] { "Ada" }));
    }

    private sealed class Parameter(object value, PgDbType type = PgDbType.Unknown) : SqlMapper.ICustomQueryParameter
    {
        public void AddParameter(IDbCommand command, string name)
        {
            var parameter = new PgParameter(name, value);
            if (type != PgDbType.Unknown)
                parameter.PgDbType = type;
            command.Parameters.Add(parameter);
        }
    }
}
