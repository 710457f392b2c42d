using System.Collections;
using System.Numerics;
using System.Text.Json;
using System.Text.Json.Nodes;
using Dapper;

namespace Loxo.DapperTests;

/// <summary>Types of Loxo, and members of <see cref="LoxoDapper"/>; the server's text is the oracle.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class LoxoDapperTests(WaitMode mode)
{
    private static readonly Mood[] BothMoods = [Mood.Sad, Mood.Happy];
    private PgConnection _connection = null!;
    private DapperCalls _db = null!;

    [PgName("dapper_tests.mood")]
    private enum Mood
    {
        Sad,
        Happy,
    }

    private sealed record Settings(string Theme, int Size);

    [SetUp]
    public async Task Open()
    {
        _connection = new PgConnection(TestServer.Default.ConnectionString);
        await mode.Open(_connection);
        _db = new DapperCalls(_connection, mode);
    }

    [TearDown]
    public ValueTask Close() => _connection.DisposeAsync();

    [Test]
    public async Task Ranges_go_out_and_come_back()
    {
        await RoundTrip(new PgRange<int>(1, true, 5, false), "int4range", "[1,5)");
        await RoundTrip(
            new PgRange<DateOnly>(new DateOnly(2024, 1, 1), true, new DateOnly(2024, 2, 1), false), "daterange", "[2024-01-01,2024-02-01)");
        await RoundTrip<PgRange<int>[]>([new(1, true, 2, false), new(5, true, 9, false)], "int4multirange", "{[1,2),[5,9)}");
        Assert.That(await _db.One<PgRange<long>?>("SELECT @v::int8range", new { v = (PgRange<long>?)null }), Is.Null);
    }

    [Test]
    public async Task Types_that_Dapper_refuses_go_out_and_come_back()
    {
        await RoundTrip(BigInteger.Pow(10, 20), "numeric", "100000000000000000000");
        await RoundTrip(new BitArray([true, false, true]), "varbit", "101");
        await RoundTrip(new PgPoint(1, 2), "point", "(1,2)");
        await RoundTrip(System.Net.IPNetwork.Parse("10.0.0.0/8"), "cidr", "10.0.0.0/8");
        await RoundTrip(System.Net.NetworkInformation.PhysicalAddress.Parse("08-00-2B-01-02-03"), "macaddr", "08:00:2b:01:02:03");
    }

    [Test]
    public async Task Json_goes_out_as_jsonb_and_comes_back()
    {
        LoxoDapper.RegisterJson<Settings>(JsonSerializerOptions.Web);
        var settings = new Settings("it's", 3);
        Assert.That(await _db.One<string>("SELECT @v->>'theme' || pg_typeof(@v)", new { v = settings }), Is.EqualTo("it'sjsonb"));
        Assert.That(await _db.One<Settings>("SELECT @v", new { v = settings }), Is.EqualTo(settings));
        Assert.That(await _db.One<Settings?>("SELECT @v", new { v = (Settings?)null }), Is.Null);
        Assert.That((await _db.One<JsonObject>("SELECT @v", new { v = new JsonObject { ["a"] = 1 } }))["a"]!.GetValue<int>(),
            Is.EqualTo(1));
        Assert.That((await _db.One<JsonArray>("SELECT @v", new { v = new JsonArray(1, 2) })), Has.Count.EqualTo(2));
        Assert.That((await _db.One<JsonElement>("SELECT '{\"a\": true}'::json")).GetProperty("a").GetBoolean(), Is.True);
    }

    [Test]
    public async Task A_parameter_of_ones_own_keeps_its_type()
    {
        Assert.That(await _db.One<string>("SELECT @v::text || pg_typeof(@v)",
            new { v = LoxoDapper.Parameter(Mood.Happy, "dapper_tests.mood") }), Is.EqualTo("happydapper_tests.mood"));
        Assert.That(await _db.One<string>("SELECT @v ->> 'a'", new { v = LoxoDapper.Parameter("""{"a": "b"}""", PgDbType.Jsonb) }),
            Is.EqualTo("b"));
        Assert.That(await _db.One<bool>("SELECT @v::int IS NULL", new { v = LoxoDapper.Parameter(null) }), Is.True);
        Assert.That(() => LoxoDapper.Parameter(1, ""), Throws.ArgumentException);
    }

    [Test]
    public async Task Arrays_of_enums_are_registered_by_their_element()
    {
        LoxoDapper.RegisterArrays<Mood>();
        Assert.That(await _db.One<Mood[]>("SELECT enum_range(NULL::dapper_tests.mood)"), Is.EqualTo(BothMoods));
        Assert.That(await _db.One<List<Mood>>("SELECT '{0,1}'::int[]"), Is.EqualTo(BothMoods));
    }

    [Test]
    public async Task An_enum_alone_is_read_as_its_label_or_mapped()
    {
        const string Sql = "SELECT 'happy'::dapper_tests.mood";
        Assert.That(await _db.One<string>(Sql), Is.EqualTo("happy"));
        Assert.That(() => _db.One<Mood>(Sql), Throws.ArgumentException);

        await using var source = new PgDataSourceBuilder(TestServer.Default.ConnectionString).MapEnum<Mood>("dapper_tests.mood").Build();
        await using var connection = source.CreateConnection();
        await mode.Open(connection);
        Assert.That(await new DapperCalls(connection, mode).One<Mood>(Sql), Is.EqualTo(Mood.Happy));
    }

    [Test]
    public async Task Elements_are_converted_without_loss_or_refused()
    {
        Assert.That(await _db.One<long[]>("SELECT '{1,2}'::int[]"), Is.EqualTo(new long[] { 1, 2 }));
        Assert.That(await _db.One<int?[]>("SELECT '{1,2}'::int[]"), Is.EqualTo(new int?[] { 1, 2 }));
        Assert.That(await _db.One<DateOnly>("SELECT timestamp '2024-02-29 00:00'"), Is.EqualTo(new DateOnly(2024, 2, 29)));
        string[] refused =
        [
            "SELECT '{1.5}'::float8[]", "SELECT '{9999999999}'::bigint[]", "SELECT '{a}'::text[]", "SELECT 1", "SELECT '{{1,2}}'::int[]",
        ];
        foreach (var sql in refused)
            Assert.That(await Refusal(() => _db.One<List<int>>(sql)), Is.True, sql);
        Assert.That(await _db.One<int>("SELECT 42"), Is.EqualTo(42));
    }

    [Test]
    public async Task A_sequence_is_sent_as_an_array()
    {
        var ids = Enumerable.Range(1, 3).Where(i => i != 2);
        Assert.That(await _db.One<int[]>("SELECT @ids", new { ids }), Is.EqualTo(new[] { 1, 3 }));
        Assert.That(await _db.One<int[]?>("SELECT @ids", new { ids = (int[]?)null }), Is.Null);
        Assert.That(await _db.One<long>("SELECT sum(i) FROM unnest(@ids) i", new { ids = new HashSet<int> { 4, 5 } }), Is.EqualTo(9));
    }

    [Test]
    public void A_handler_that_is_there_is_kept()
    {
        LoxoDapper.Register();
        Assert.That(SqlMapper.HasTypeHandler(typeof(int[])), Is.True);
        Assert.That(SqlMapper.HasTypeHandler(typeof(byte[])), Is.False);
        Assert.That(SqlMapper.HasTypeHandler(typeof(char[])), Is.False);
    }

    private static async Task<bool> Refusal(Func<Task> call)
    {
        try
        {
            await call();
            return false;
        }
        catch (Exception e) when (e is InvalidCastException or OverflowException or System.Data.DataException)
        {
            return true;
        }
    }

    private async Task RoundTrip<T>(T value, string type, string text)
    {
        Assert.That(await _db.One<string>("SELECT @value::text", new { value }), Is.EqualTo(text));
        Assert.That(await _db.One<string>("SELECT pg_typeof(@value)::text", new { value }),
            Is.EqualTo(type == "varbit" ? "bit varying" : type));
        Assert.That(await _db.One<T>($"SELECT '{text}'::{type}"), Is.EqualTo(value));
    }
}
