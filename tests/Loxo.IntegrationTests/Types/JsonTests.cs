using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization;

namespace Loxo.IntegrationTests.Types;

/// <summary>json and jsonb as documents and objects. As text and bytes they are in the corpus.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class JsonTests(WaitMode mode) : DatabaseTest(mode)
{
    private static readonly Order Sample = new(7, "grün \"x\"", [new(1, 2.50m), new(2, null)]);

    [Test]
    public async Task An_object_goes_to_the_server_and_comes_back([Values] bool binary, [Values] bool untyped)
    {
        var type = binary ? PgDbType.Jsonb : PgDbType.Json;
        var parameter = untyped ? new PgParameter(null, type) { Value = Sample } : new PgParameter<Order>(null, type) { TypedValue = Sample };
        await OnRow("SELECT $1, $1 ->> 'Name', pg_typeof($1)::text", reader =>
        {
            Assert.That(reader.GetFieldValue<Order>(0), Is.EqualTo(Sample));
            Assert.That((reader.GetString(1), reader.GetString(2)), Is.EqualTo((Sample.Name, binary ? "jsonb" : "json")));
        }, parameter);
    }

    [Test]
    public async Task Documents_and_nodes_are_jsonb_when_nothing_is_said()
    {
        using var document = JsonDocument.Parse("[1]");
        object[] values = [document, document.RootElement, JsonNode.Parse("[1]")!, new JsonArray(1)];
        foreach (var value in values)
        {
            await OnRow("SELECT $1 = '[1]', pg_typeof($1)::text", reader =>
                Assert.That((reader.GetBoolean(0), reader.GetString(1)), Is.EqualTo((true, "jsonb")), value.GetType().Name), value);
        }
        await OnRow("SELECT pg_typeof($1)::text, pg_typeof($2)::text, $2 ->> 'a', pg_typeof($3)::text", reader => Assert.That(
                (reader.GetString(0), reader.GetString(1), reader.GetString(2), reader.GetString(3)), Is.EqualTo(("jsonb", "jsonb", "b", "jsonb[]"))),
            JsonValue.Create(1), new PgParameter<JsonObject>(new JsonObject { ["a"] = "b" }), new JsonNode[] { new JsonArray() });
    }

    [Test]
    public async Task Documents_and_nodes_are_read([Values("json", "jsonb")] string type, [Values] bool asText)
    {
        await OnRow($$"""SELECT '{"a": [1, null]}'::{{type}}, '[2]'::{{type}}, '"x"'::{{type}}, 'null'::{{type}}, NULL::{{type}}""", reader =>
        {
            using var document = reader.GetFieldValue<JsonDocument>(0);
            Assert.That(document.RootElement.GetProperty("a").GetArrayLength(), Is.EqualTo(2));
            Assert.That(reader.GetFieldValue<JsonElement>(0).GetRawText(), Is.EqualTo("""{"a": [1, null]}"""));
            Assert.That((int)reader.GetFieldValue<JsonNode>(0)["a"]![0]!, Is.EqualTo(1));
            Assert.That(reader.GetFieldValue<JsonObject>(0), Has.Count.EqualTo(1));
            Assert.That(reader.GetFieldValue<JsonArray>(1), Has.Count.EqualTo(1));
            Assert.That((string?)reader.GetFieldValue<JsonValue>(2), Is.EqualTo("x"));
            Assert.That(reader.GetFieldValue<JsonNode>(3), Is.Null);
            Assert.That(reader.GetFieldValue<JsonElement?>(4), Is.Null);
            Assert.That(() => reader.GetFieldValue<JsonNode>(4), Throws.TypeOf<InvalidCastException>().With.Message.Contains("NULL"));
            Assert.That(() => reader.GetFieldValue<Order>(4), Throws.TypeOf<InvalidCastException>().With.Message.Contains("NULL"));
        }, asText);
    }

    [Test]
    public async Task A_string_or_bytes_sent_to_jsonb_are_JSON_text()
    {
        const string Text = """{"a": "ü"}""";
        foreach (var value in new object[] { Text, Encoding.UTF8.GetBytes(Text), (ReadOnlyMemory<byte>)Encoding.UTF8.GetBytes(Text), Text.ToCharArray() })
        {
            await OnRow("SELECT $1 ->> 'a'", reader => Assert.That(reader.GetString(0), Is.EqualTo("ü"), value.GetType().Name),
                new PgParameter(null, PgDbType.Jsonb) { Value = value });
        }
        await Execute("CREATE TEMP TABLE documents (j jsonb)");
        var error = await Catch<PostgresException>(() => Execute("INSERT INTO documents VALUES ($1)", "{"));
        Assert.That(error.SqlState, Is.AnyOf(SqlStates.InvalidTextRepresentation, SqlStates.DatatypeMismatch));
        await AssertUsable();
    }

    [Test]
    public async Task Lists_of_objects_are_arrays_of_json([Values] bool binary, [Values] bool asText)
    {
        var type = (binary ? PgDbType.Jsonb : PgDbType.Json) | PgDbType.Array;
        foreach (var value in new object[] { new[] { Sample, null }, new List<Order?> { Sample, null } })
        {
            await OnRow("SELECT $1, cardinality($1), ($1)[2] IS NULL", reader =>
            {
                Assert.That(reader.GetFieldValue<Order?[]>(0), Is.EqualTo(new[] { Sample, null }));
                Assert.That(reader.GetFieldValue<List<Order?>>(0), Is.EqualTo(new[] { Sample, null }));
                Assert.That((reader.GetInt32(1), reader.GetBoolean(2)), Is.EqualTo((2, true)));
            }, asText, new PgParameter(null, type) { Value = value });
        }
    }

    [Test]
    public async Task What_is_polymorphic_comes_back_from_jsonb_as_it_was() =>
        await OnRow("SELECT $1, $1::jsonb", reader =>
        {
            Assert.That(reader.GetFieldValue<Animal>(0), Is.EqualTo(new Cat("Mia", 9)));
            Assert.That(reader.GetFieldValue<Animal>(1), Is.EqualTo(new Cat("Mia", 9)));
        }, new PgParameter<Animal>(null, PgDbType.Json) { TypedValue = new Cat("Mia", 9) });

    [Test]
    public async Task Metadata_of_the_callers_own_is_used([Values(PgDbType.Json, PgDbType.Jsonb)] PgDbType type)
    {
        await OnRow("SELECT $1, $1 ->> 'name', $1::text, $2 IS NULL, pg_typeof($2)::text", reader =>
        {
            Assert.That(reader.GetJson(0, OrderContext.Default.Order), Is.EqualTo(Sample));
            Assert.That(reader.GetString(1), Is.EqualTo(Sample.Name));
            Assert.That(reader.GetJson(2, OrderContext.Default.Order), Is.EqualTo(Sample));
            Assert.That((reader.GetBoolean(3), reader.GetString(4)), Is.EqualTo((true, type == PgDbType.Json ? "json" : "jsonb")));
        }, PgParameter.Json(null, Sample, OrderContext.Default.Order, type), PgParameter.Json(null, null, OrderContext.Default.Order, type));
    }

    [Test]
    public async Task A_JSON_parameter_is_used_again_and_prepared()
    {
        var parameter = PgParameter.Json("order", Sample, OrderContext.Default.Order);
        await using var command = Command("SELECT @order ->> 'name'", parameter);
        await Mode.Prepare(command);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(Sample.Name));
        parameter.Value = Sample with { Name = "second" };
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("second"));
        parameter.Value = """{"name": "text"}""";
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("text"));
        parameter.Value = DBNull.Value;
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(DBNull.Value));
        Assert.That(() => PgParameter.Json(null, Sample, OrderContext.Default.Order, PgDbType.Text), Throws.ArgumentException);
    }

    [Test]
    public async Task Tokens_and_bytes_are_read_where_they_lie([Values] bool asText) =>
        await OnRow("""SELECT '[1, 2]'::jsonb, '[1, 2]'::json, '[1, 2]'::text, '\x0102'::bytea, NULL::jsonb, 7""", reader =>
        {
            for (var i = 0; i < 3; i++)
            {
                Assert.That(Sum(reader.GetUtf8JsonReader(i)), Is.EqualTo(3));
                Assert.That(Encoding.UTF8.GetString(reader.GetBytesSpan(i)), Is.EqualTo("[1, 2]"));
                Assert.That(reader.GetTextReader(i).ReadToEnd(), Is.EqualTo("[1, 2]"));
            }
            Assert.That(reader.GetBytesSpan(3).ToArray(), Is.EqualTo(asText ? "\\x0102"u8.ToArray() : [1, 2]));
            Assert.That(() => reader.GetBytesSpan(4).Length, Throws.TypeOf<InvalidCastException>());
            Assert.That(() => reader.GetUtf8JsonReader(4).Read(), Throws.TypeOf<InvalidCastException>());
            if (!asText)
                Assert.That(() => reader.GetUtf8JsonReader(5).Read(), Throws.TypeOf<InvalidCastException>().With.Message.Contains("to_jsonb"));
        }, asText);

    [Test]
    public async Task JSON_of_another_shape_names_column_type_and_path()
    {
        await OnRow("""SELECT '{"Id": "seven"}'::jsonb AS bad""", reader =>
        {
            foreach (var read in new Func<object?>[] { () => reader.GetFieldValue<Order>(0), () => reader.GetJson(0, UpperContext.Default.Order) })
            {
                var error = Assert.Throws<InvalidCastException>(() => read())!;
                Assert.That(error.Message, Does.Contain("'bad'").And.Contains("jsonb").And.Contains("$.Id"));
                Assert.That(error.InnerException as JsonException ?? error.InnerException?.InnerException, Is.InstanceOf<JsonException>());
            }
        });
        await AssertUsable();
    }

    [Test]
    public async Task A_value_that_cannot_become_JSON_leaves_the_connection_usable()
    {
        var parameter = new PgParameter("loop", PgDbType.Jsonb) { Value = new Loop() };
        var error = await Catch<PgException>(() => Execute("SELECT @loop", parameter));
        Assert.That(error.Message, Does.Contain("'loop'").And.Contains("cycle"));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ParameterInvalid));
        await AssertUsable();
    }

    [Test]
    public async Task A_large_value_comes_and_goes([Values(PgDbType.Json, PgDbType.Jsonb)] PgDbType type)
    {
        var large = Enumerable.Range(0, 300_000).Select(i => $"ü{i}").ToList();
        await OnRow("SELECT $1", reader =>
        {
            Assert.That(reader.GetFieldValue<List<string>>(0), Is.EqualTo(large));
            Assert.That(reader.GetFieldValue<JsonElement>(0).GetArrayLength(), Is.EqualTo(large.Count));
        }, new PgParameter(null, type) { Value = large });
    }

    [Test]
    public async Task What_is_nested_too_deeply_is_refused_and_is_still_there_as_text() =>
        await OnRow("SELECT (repeat('[', 500) || repeat(']', 500))::jsonb", reader =>
        {
            Assert.That(() => reader.GetFieldValue<JsonDocument>(0), Throws.TypeOf<InvalidCastException>().With.Message.Contains("64"));
            Assert.That(() => reader.GetFieldValue<JsonNode>(0), Throws.TypeOf<InvalidCastException>());
            Assert.That(reader.GetString(0), Has.Length.EqualTo(1000));
            Assert.That(reader.GetUtf8JsonReader(0, new JsonReaderOptions { MaxDepth = 500 }).Read(), Is.True);
        });

    private static long Sum(Utf8JsonReader json)
    {
        var sum = 0L;
        while (json.Read())
            sum += json.TokenType == JsonTokenType.Number ? json.GetInt64() : 0;
        return sum;
    }

    private Task OnRow(string sql, Action<PgDataReader> test, params object?[] parameters) => OnRow(sql, test, asText: false, parameters);

    private async Task OnRow(string sql, Action<PgDataReader> test, bool asText, params object?[] parameters)
    {
        await using var command = Command(sql, parameters);
        command.AllResultTypesAreUnknown = asText;
        await using var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        test(reader);
    }

    private sealed class Loop
    {
        public Loop Self => this;
    }
}

internal sealed record Line(int Article, decimal? Price);

internal sealed record Order(int Id, string Name, Line[] Lines)
{
    public bool Equals(Order? other) => other is not null && Id == other.Id && Name == other.Name && Lines.SequenceEqual(other.Lines);

    public override int GetHashCode() => Id;
}

[JsonDerivedType(typeof(Cat), "cat")]
internal abstract record Animal;

internal sealed record Cat(string N, int Lives) : Animal;

[JsonSerializable(typeof(Order))]
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
internal sealed partial class OrderContext : JsonSerializerContext;

[JsonSerializable(typeof(Order))]
internal sealed partial class UpperContext : JsonSerializerContext;
