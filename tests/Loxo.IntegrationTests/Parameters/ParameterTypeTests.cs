using System.Data;
using System.Numerics;

namespace Loxo.IntegrationTests.Parameters;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ParameterTypeTests(WaitMode mode) : DatabaseTest(mode)
{
    private const string TypeOf = "SELECT pg_typeof($1)::text";

    private static IEnumerable<TestCaseData> Inferred()
    {
        (object Value, string Type)[] cases =
        [
            (true, "boolean"), ((short)1, "smallint"), ((byte)1, "smallint"), ((sbyte)1, "smallint"), (1, "integer"), (1L, "bigint"), (1f, "real"),
            (1.0, "double precision"), (1m, "numeric"), (new BigInteger(1), "numeric"), ("x", "text"), ('x', "text"), (new[] { 'x' }, "text"),
            (new byte[] { 1 }, "bytea"), (new ReadOnlyMemory<byte>([1]), "bytea"), (Guid.Empty, "uuid"), (new DateOnly(2024, 1, 2), "date"),
            (new TimeOnly(1, 2), "time without time zone"), (TimeSpan.FromHours(1), "interval"), (new PgInterval(1, 2, 3), "interval"),
            (new DateTime(2024, 1, 2, 0, 0, 0, DateTimeKind.Unspecified), "timestamp without time zone"),
            (new DateTime(2024, 1, 2, 0, 0, 0, DateTimeKind.Local), "timestamp without time zone"),
            (new DateTime(2024, 1, 2, 0, 0, 0, DateTimeKind.Utc), "timestamp with time zone"), (DateTimeOffset.UnixEpoch, "timestamp with time zone"),
            (new[] { 1, 2 }, "integer[]"), (new List<string> { "a" }, "text[]"), (new int?[] { 1, null }, "integer[]"), (new[] { Guid.Empty }, "uuid[]"),
        ];
        return cases.Select(item => new TestCaseData(item.Value, item.Type).SetArgDisplayNames($"{item.Value.GetType().Name} {item.Type}"));
    }

    [TestCaseSource(nameof(Inferred))]
    public async Task The_type_follows_from_the_value(object value, string type)
    {
        await using var command = Command(TypeOf + ", $1", value);
        var reader = await Mode.ExecuteReader(command);

        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetString(0), Is.EqualTo(type));
        Assert.That(reader.IsDBNull(1), Is.False);
        await Mode.Close(reader);
    }

    [Test]
    public async Task An_object_without_a_type_is_refused_with_a_word_on_JSON()
    {
        var error = await Catch<InvalidCastException>(() => Mode.ExecuteScalar(Command("SELECT $1", new Version(1, 2))));
        Assert.That(error.Message, Does.Contain("stands for no PostgreSQL type").And.Contain("PgDbType.Jsonb"));
        await AssertUsable();
    }

    [Test]
    public async Task Typed_parameters_go_out_and_come_back()
    {
        await Typed(true);
        await Typed((short)-2);
        await Typed(int.MinValue);
        await Typed(long.MaxValue);
        await Typed(1.5f);
        await Typed(double.Epsilon);
        await Typed(79228162514264337593543950335m);
        await Typed("texté 日本");
        await Typed(Guid.NewGuid());
        await Typed(new DateTime(2024, 5, 6, 7, 8, 9, DateTimeKind.Utc));
        await Typed(new DateTime(2024, 5, 6, 7, 8, 9, DateTimeKind.Unspecified));
        await Typed(new DateOnly(2024, 5, 6));
        await Typed(new TimeOnly(7, 8, 9));
        await Typed(new TimeSpan(1, 2, 3, 4));
        await Typed(new byte[] { 1, 2, 3 });
        await Typed(new[] { 1, 2, 3 });
        await Typed(new List<string> { "a", "b" });
        await Typed<int?>(5);
        await Typed<Guid?>(Guid.Empty);
    }

    [Test]
    public async Task A_typed_null_is_NULL_of_its_type()
    {
        await TypedNull<int?>("integer");
        await TypedNull<DateOnly?>("date");
        await TypedNull<string>("text");
        await TypedNull<byte[]>("bytea");
        await TypedNull<int[]>("integer[]");
    }

    [Test]
    public async Task A_typed_parameter_runs_again_with_other_values()
    {
        var parameter = new PgParameter<int>("n", 0);
        await using var command = Command("SELECT @n + 1");
        command.Parameters.Add(parameter);
        for (var i = 0; i < 5; i++)
        {
            parameter.TypedValue = i;
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(i + 1));
        }
        Assert.That(parameter.Value, Is.EqualTo(4));
        parameter.Value = 10;
        Assert.That(parameter.TypedValue, Is.EqualTo(10));
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(11));
    }

    [Test]
    public async Task NULL_is_not_the_default_of_a_typed_parameters_type()
    {
        var parameter = new PgParameter<int>("n", 5);
        await using var command = Command("SELECT coalesce(@n, -1)");
        command.Parameters.Add(parameter);
        foreach (var value in new object?[] { DBNull.Value, 7, null, 8, DBNull.Value })
        {
            parameter.Value = value;
            Assert.That(parameter.Value, Is.EqualTo(value ?? DBNull.Value));
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(value is int number ? number : -1));
            await Mode.Prepare(command);
        }
        await using var other = Command("SELECT pg_typeof($1)::text");
        other.Parameters.Add(new PgParameter<int> { Value = DBNull.Value });
        Assert.That(await Mode.ExecuteScalar(other), Is.EqualTo("integer"));
    }

    [Test]
    public async Task NULL_for_a_typed_output_parameter_is_not_the_default_of_its_type()
    {
        var parameter = new PgParameter<int>("n", 5) { Direction = ParameterDirection.Output };
        await using var command = Command("SELECT NULL::int AS n");
        command.Parameters.Add(parameter);

        await Mode.ExecuteNonQuery(command);

        Assert.That(parameter.Value, Is.EqualTo(DBNull.Value));
    }

    [Test]
    public async Task A_typed_parameter_whose_DateTime_changes_its_kind_changes_its_type()
    {
        var parameter = new PgParameter<DateTime>(new DateTime(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc));
        await using var command = Command(TypeOf);
        command.Parameters.Add(parameter);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("timestamp with time zone"));

        parameter.TypedValue = new DateTime(2024, 1, 1, 0, 0, 0, DateTimeKind.Unspecified);

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("timestamp without time zone"));
    }

    [TestCase(DbType.Int16, "smallint")]
    [TestCase(DbType.Int32, "integer")]
    [TestCase(DbType.Int64, "bigint")]
    [TestCase(DbType.Decimal, "numeric")]
    [TestCase(DbType.Double, "double precision")]
    [TestCase(DbType.Single, "real")]
    public async Task DbType_chooses_the_type(DbType dbType, string type)
    {
        await using var command = Command(TypeOf, new PgParameter { DbType = dbType, Value = 7 });

        if (dbType is DbType.Single or DbType.Double or DbType.Decimal)
            command.Parameters[0].Value = Convert.ChangeType(7, dbType == DbType.Single ? typeof(float) : dbType == DbType.Double ? typeof(double) : typeof(decimal), null);

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(type));
    }

    [Test]
    public async Task The_name_counts_before_the_enumeration_and_that_before_DbType()
    {
        await using var command = Command(TypeOf, new PgParameter { Value = 7 });
        var parameter = command.Parameters[0];
        async Task Is(string type) => Assert.That(await Mode.ExecuteScalar(command), NUnit.Framework.Is.EqualTo(type));

        await Is("integer");
        parameter.DbType = DbType.Int64;
        await Is("bigint");
        parameter.PgDbType = PgDbType.Smallint;
        await Is("smallint");
        parameter.DbType = DbType.Object;
        await Is("smallint");
        parameter.DataTypeName = "oid";
        parameter.Value = 7u;
        await Is("oid");
        parameter.PgDbType = PgDbType.Bigint;
        await Is("oid");
        parameter.DataTypeName = null;
        parameter.Value = 7;
        await Is("bigint");
        parameter.ResetDbType();
        await Is("integer");
    }

    [Test]
    public async Task A_declared_type_survives_other_values_and_DBNull()
    {
        await using var command = Command(TypeOf, new PgParameter { PgDbType = PgDbType.Bigint });
        foreach (var value in new object[] { 1, 2L, (short)3, DBNull.Value })
        {
            command.Parameters[0].Value = value;
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("bigint"));
        }
    }

    [Test]
    public async Task DBNull_without_a_type_lets_the_server_choose()
    {
        Assert.That(await Scalar<string>("SELECT pg_typeof(coalesce($1, 5))::text", DBNull.Value), Is.EqualTo("integer"));
        Assert.That(await Scalar<string>("SELECT $1::text", DBNull.Value), Is.Null);
    }

    [TestCase("mood", "sad")]
    [TestCase("pg_temp.mood", "ok")]
    public async Task DataTypeName_of_a_type_of_ones_own_takes_text(string name, string value)
    {
        await Execute("CREATE TYPE pg_temp.mood AS ENUM ('sad', 'ok'); SET search_path = pg_temp, public; CREATE TEMP TABLE person (mood mood)");
        await using var command = Command("INSERT INTO person VALUES ($1) RETURNING mood", new PgParameter { DataTypeName = name, Value = value });

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(value));

        command.Parameters[0].Value = 5;
        var error = await Catch<InvalidCastException>(() => Mode.ExecuteScalar(command));
        Assert.That(error.Message, Does.Contain(".mood").And.Contain("string"));
        command.Parameters[0].Value = DBNull.Value;
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(DBNull.Value));
    }

    [TestCase("integer")]
    [TestCase("int4")]
    [TestCase("pg_catalog.int4")]
    [TestCase("INT")]
    public async Task DataTypeName_knows_the_names_of_built_in_types(string name) =>
        Assert.That(await Scalar<string>(TypeOf, new PgParameter { DataTypeName = name, Value = 1 }), Is.EqualTo("integer"));

    [TestCase(PgDbType.Inet, "10.0.0.1/8", "inet")]
    [TestCase(PgDbType.Jsonb, """{"a": 1}""", "jsonb")]
    [TestCase(PgDbType.Json, """{"a": 1}""", "json")]
    [TestCase(PgDbType.Point, "(1,2)", "point")]
    [TestCase(PgDbType.TsVector, "'a' 'b'", "tsvector")]
    [TestCase(PgDbType.Xml, "<a/>", "xml")]
    [TestCase(PgDbType.Varchar, "x", "character varying")]
    [TestCase(PgDbType.Name, "x", "name")]
    [TestCase(PgDbType.IntegerRange, "[1,5)", "int4range")]
    [TestCase(PgDbType.Bit, "101", "bit")]
    public async Task A_string_goes_out_as_any_type_that_is_written_as_text(PgDbType type, string value, string name)
    {
        await using var command = Command(TypeOf + ", $1::text", new PgParameter { PgDbType = type, Value = value });
        var reader = await Mode.ExecuteReader(command);

        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetString(0), Is.EqualTo(name));
        Assert.That(reader.GetString(1), Is.EqualTo(value));
        await Mode.Close(reader);
    }

    [Test]
    public async Task Types_in_text_and_in_binary_mix_in_one_command()
    {
        await using var command = Command("SELECT $1::text || $2 || $3::text", new PgParameter { PgDbType = PgDbType.Inet, Value = "10.0.0.1" }, 5, new[] { 1, 2 });

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("10.0.0.1/325{1,2}"));
    }

    [Test]
    public async Task Size_cuts_text_and_bytes()
    {
        Assert.That(await Scalar<string>("SELECT $1", new PgParameter { Value = "abcdef", Size = 3 }), Is.EqualTo("abc"));
        Assert.That(await Scalar<string>("SELECT $1", new PgParameter { Value = "ab", Size = 3 }), Is.EqualTo("ab"));
        Assert.That(await Scalar<string>("SELECT $1", new PgParameter { Value = "abc", Size = -1 }), Is.EqualTo("abc"));
        Assert.That(await Scalar<byte[]>("SELECT $1", new PgParameter { Value = new byte[] { 1, 2, 3 }, Size = 2 }), Is.EqualTo(new byte[] { 1, 2 }));
        Assert.That(await Scalar<int>("SELECT $1", new PgParameter { Value = 123456, Size = 1 }), Is.EqualTo(123456));
        Assert.That(await Scalar<string>("SELECT $1", new PgParameter<string>("abcdef") { Size = 3 }), Is.EqualTo("abc"));
    }

    [Test]
    public async Task Null_without_DBNull_is_refused_even_after_a_value()
    {
        await using var command = Command("SELECT @a");
        var a = command.Parameters.AddWithValue("a", 1);
        await Mode.ExecuteScalar(command);

        a.Value = null;

        Assert.That((await Catch<InvalidOperationException>(() => Mode.ExecuteScalar(command))).Message, Does.Contain("'a'").And.Contain("DBNull"));
        await AssertUsable();
    }

    [Test]
    public async Task The_server_chooses_the_type_of_an_unknown_parameter([Values] bool isNamed)
    {
        var parameter = isNamed ? new PgParameter { DataTypeName = "unknown" } : new PgParameter { PgDbType = PgDbType.Unknown };
        parameter.Value = "2024-02-29";
        await using var command = Command("SELECT $1 - date '2024-02-01', pg_typeof($1)::text", parameter);
        for (var run = 0; run < 2; run++)
        {
            var reader = await Mode.ExecuteReader(command);
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That((reader.GetInt32(0), reader.GetString(1)), Is.EqualTo((28, "date")));
            await Mode.Close(reader);
            await Mode.Prepare(command);
        }
    }

    [Test]
    public void The_value_says_nothing_about_a_type_of_the_database()
    {
        var parameter = new PgParameter { Value = "ok", DataTypeName = "mood" };

        Assert.That((parameter.DbType, parameter.PgDbType, parameter.DataTypeName), Is.EqualTo((DbType.Object, PgDbType.Unknown, "mood")));
    }

    [Test]
    public async Task A_command_with_an_unknown_parameter_is_prepared_before_it_has_a_value()
    {
        var parameter = new PgParameter { PgDbType = PgDbType.Unknown };
        await using var command = Command("SELECT $1 + 1", parameter);

        await Mode.Prepare(command);

        parameter.Value = "41";
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(42));
    }

    private async Task Typed<T>(T value)
    {
        await using var command = Command("SELECT $1");
        command.Parameters.Add(new PgParameter<T>(value));
        for (var run = 0; run < 2; run++)
        {
            var reader = await Mode.ExecuteReader(command);
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetFieldValue<T>(0), Is.EqualTo(value), typeof(T).Name);
            await Mode.Close(reader);
            await Mode.Prepare(command);
        }
    }

    private async Task TypedNull<T>(string type)
    {
        await using var command = Command("SELECT pg_typeof($1)::text, $1 IS NULL");
        command.Parameters.Add(new PgParameter<T>(default(T)));
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That((reader.GetString(0), reader.GetBoolean(1)), Is.EqualTo((type, true)));
        await Mode.Close(reader);
    }
}
