namespace Loxo.IntegrationTests.UserTypes;

/// <summary>What builders say about the types of a database.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class TypeLoadingTests(WaitMode mode) : UserTypeTest(mode)
{
    [Test]
    public async Task A_domain_tells_whether_it_refuses_NULL()
    {
        await Execute("""
            CREATE DOMAIN any_number AS int;
            CREATE DOMAIN some_number AS int NOT NULL;
            CREATE DOMAIN even_number AS some_number CHECK (VALUE % 2 = 0)
            """);
        await UseSource(_ => { });
        await using var command = Command("SELECT NULL::any_number[], '{1}'::some_number[], '{2}'::even_number[]");
        await using var reader = await Mode.ExecuteReader(command);

        // Each array's element: a column of the domain itself is described by the server as the type below it.
        var domains = Enumerable.Range(0, 3).Select(i => (PostgresDomainType)((PostgresArrayType)reader.GetPostgresType(i)).Element);

        Assert.That(domains.Select(domain => (domain.Name, domain.NotNull)),
            Is.EqualTo([("any_number", false), ("some_number", true), ("even_number", false)]));
    }

    [Test]
    public async Task Without_type_loading_only_built_in_types_are_known()
    {
        const string Pair = "SELECT ROW(1, 'x')::pair";
        await Execute("CREATE TYPE pair AS (a int, b text)");
        await UseSource(builder => builder.ConfigureTypeLoading(options => options.EnableTypeLoading(false)));

        Assert.That(await Value<int[]>("SELECT '{1,2}'::int[]"), Is.EqualTo([1, 2]));
        await Catch<InvalidCastException>(() => Value<object[]>(Pair));
        await AssertUsable();

        await UseSource(builder => builder.ConfigureTypeLoading(options => options.EnableTypeLoading(false).EnableTypeLoading()));
        Assert.That(await Value<object[]>(Pair), Is.EqualTo(new object[] { 1, "x" }));
    }

    [Test]
    public async Task Types_of_every_schema_and_row_types_of_tables_are_known_whatever_is_to_be_loaded()
    {
        await Execute("CREATE TABLE pair (a int, b text); CREATE TYPE mood AS ENUM ('sad', 'ok')");
        await UseSource(builder => builder.ConfigureTypeLoading(
            options => options.EnableTableCompositesLoading(false).SetTypeLoadingSchemas("pg_catalog")));

        Assert.That(await Value<object[]>("SELECT ROW(1, 'x')::pair"), Is.EqualTo(new object[] { 1, "x" }));
        Assert.That(await Value<string[]>("SELECT '{ok,sad}'::mood[]"), Is.EqualTo(["ok", "sad"]));
    }

    [Test]
    public async Task The_default_translator_makes_the_names_of_types_labels_and_fields()
    {
        await Execute("""
            CREATE TYPE "Mood" AS ENUM ('Sad', 'VeryHappy');
            CREATE TYPE "Person" AS ("FirstName" text, "Mood" "Mood")
            """);
        await UseSource(builder =>
        {
            builder.DefaultNameTranslator = new PgNullNameTranslator();
            builder.MapEnum<Mood>();
            builder.MapComposite<Person>();
        });

        Assert.That(await Value<object>("SELECT 'VeryHappy'::\"Mood\""), Is.EqualTo(Mood.VeryHappy));
        Assert.That(await Value<object>("SELECT ROW('Ann', 'Sad')::\"Person\""), Is.EqualTo(new Person("Ann", Mood.Sad)));
        Assert.That(await Value<string>("SELECT $1::text", new Person("Bob", Mood.VeryHappy)), Is.EqualTo("(Bob,VeryHappy)"));
    }

    [Test]
    public async Task The_slim_builder_knows_all_types_with_and_without_enabling_them([Values] bool enables)
    {
        await Execute("CREATE TYPE mood AS ENUM ('sad', 'ok')");
        var builder = new PgSlimDataSourceBuilder(ConnectionString);
        if (enables)
        {
            builder.EnableArrays().EnableRanges().EnableMultiranges().EnableExtraConversions().EnableJsonTypes().EnableRecords().EnableFullTextSearch()
                .EnableNetworkTypes().EnableGeometricTypes().EnableLTree().EnableCube().EnableTransportSecurity().EnableIntegratedSecurity();
        }
        await using var source = builder.MapEnum<SmallMood>("mood").Build();
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        await using var command = new PgCommand(
            "SELECT $1, int4range(1, 3), '{\"a\":1}'::jsonb, ROW(1, 2), to_tsvector('simple', 'a'), '::1'::inet, point(1, 2), 'ok'::mood", connection);
        command.Parameters.AddWithValue(new[] { 1, 2 });
        await using var reader = await Mode.ExecuteReader(command);

        Assert.That(await Mode.Read(reader), Is.True);
        var values = new object[reader.FieldCount];
        reader.GetValues(values);
        Assert.That(values, Is.EqualTo(new object[]
        {
            new[] { 1, 2 }, new PgRange<int>(1, true, 3, false), "{\"a\": 1}", new object[] { 1, 2 }, PgTsVector.Parse("a:1"),
            System.Net.IPAddress.IPv6Loopback, new PgPoint(1, 2), SmallMood.Ok,
        }));
    }

    private enum SmallMood
    {
        Sad,
        Ok,
    }

    private enum Mood
    {
        Sad,
        VeryHappy,
    }

    private sealed record Person(string FirstName, Mood Mood);
}
