using System.Collections.Immutable;

namespace Loxo.IntegrationTests.UserTypes;

/// <summary>Types of the extensions that come with PostgreSQL, which have another OID in each database.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ExtensionTests(WaitMode mode) : UserTypeTest(mode)
{
    [Test]
    public async Task A_hstore_is_a_dictionary()
    {
        await Create("hstore");
        var pairs = new Dictionary<string, string?> { ["a"] = "1", ["b c"] = null };

        for (var run = 1; run <= 3; run++)
            Assert.That(await Value<object>("SELECT 'a=>1, \"b c\"=>NULL'::hstore"), Is.EqualTo(pairs), $"run {run}");
        Assert.That(await Value<ImmutableDictionary<string, string?>>("SELECT ''::hstore"), Is.Empty);
        Assert.That(await Value<string>("SELECT $1::text || pg_typeof($1)::text", pairs), Does.Contain("\"a\"=>\"1\"").And.EndsWith("hstore"));
        Assert.That(await Value<Dictionary<string, string?>>("SELECT $1", new PgParameter<Dictionary<string, string?>>(pairs)), Is.EqualTo(pairs));
        Assert.That(await Value<object>("SELECT ARRAY['a=>1'::hstore]"), Is.EqualTo(new[] { new Dictionary<string, string?> { ["a"] = "1" } }));
        Assert.That(await Value<string>("SELECT $1::text", new PgParameter { PgDbType = PgDbType.Hstore, Value = pairs }), Does.Contain("\"a\"=>\"1\""));
    }

    [Test]
    public async Task Citext_is_text()
    {
        await Create("citext");

        Assert.That(await Value<object>("SELECT 'Abc'::citext"), Is.EqualTo("Abc"));
        Assert.That(await Value<bool>("SELECT $1 = 'abc'::citext", new PgParameter { PgDbType = PgDbType.Citext, Value = "ABC" }), Is.True);
    }

    [Test]
    public async Task Paths_of_labels_are_strings()
    {
        await Create("ltree");

        Assert.That(await Value<object>("SELECT 'Top.Science'::ltree"), Is.EqualTo("Top.Science"));
        Assert.That(await Value<bool>("SELECT $1 @> 'Top.Science'::ltree AND 'Top.Science'::ltree ~ $2 AND 'Top.Science'::ltree @ $3",
            new PgParameter { PgDbType = PgDbType.LTree, Value = "Top" }, new PgParameter { PgDbType = PgDbType.LQuery, Value = "*.Science" },
            new PgParameter { PgDbType = PgDbType.LTxtQuery, Value = "Top & Science" }), Is.True);
    }

    [Test]
    public async Task A_cube_is_a_value()
    {
        await Create("cube");

        var cube = await Value<PgCube>("SELECT '(1,2),(3,4)'::cube");

        Assert.That(cube.ToString(), Is.EqualTo("(1, 2),(3, 4)"));
        Assert.That(await Value<string>("SELECT $1::text", cube), Is.EqualTo("(1, 2),(3, 4)"));
    }

    [TestCase("citext", "'x'", PgDbType.Citext)]
    [TestCase("hstore", "'a=>1'", PgDbType.Hstore)]
    [TestCase("ltree", "'Top'", PgDbType.LTree)]
    [TestCase("cube", "'(1,2)'", PgDbType.Cube)]
    public async Task A_column_names_its_member_of_the_enumeration(string extension, string value, PgDbType type)
    {
        await Create(extension);
        await using var command = Command($"SELECT {value}::{extension}, ARRAY[{value}::{extension}]");
        await using var reader = await Mode.ExecuteReader(command);

        Assert.That((await Mode.Run(() => reader.GetColumnSchema(), () => reader.GetColumnSchemaAsync())).Select(column => column.PgDbType),
            Is.EqualTo(new PgDbType?[] { type, type | PgDbType.Array }));
        Assert.That(reader.GetSchemaTable()!.Rows[0]["ProviderType"], Is.EqualTo((int)type));
    }

    private async Task Create(string extension)
    {
        if (!await Value<bool>("SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = $1)", extension))
            Assert.Ignore($"The server comes without the extension {extension}: install PostgreSQL's contrib package (apt-get install postgresql-contrib).");
        // Other tests use them too, from where all find them.
        await ElseWhere($"SELECT pg_advisory_lock(20232); CREATE EXTENSION IF NOT EXISTS {extension} SCHEMA public");
    }
}
