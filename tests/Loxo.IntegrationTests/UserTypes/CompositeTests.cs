namespace Loxo.IntegrationTests.UserTypes;

/// <summary>Composite types, domains and ranges of the user's, mapped and not.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class CompositeTests(WaitMode mode) : UserTypeTest(mode)
{
    private const string Sample = "ROW('Main St', 5, ROW(1.5, NULL)::place)::address";

    public enum Kind
    {
        Home,
        Work,
    }

    public sealed record Address(string Street, int? HouseNumber, Place Location);

    public struct Place
    {
        public double Lat { get; set; }

        [PgName("long")]
        public double? Longitude { get; set; }
    }

    public sealed class Tagged
    {
        public Kind Kind { get; set; }

        public string[] Labels { get; set; } = [];

        public Address[]? Others { get; set; }
    }

    [SetUp]
    public async Task CreateTypes() => await ElseWhere("""
        CREATE TYPE place AS (lat double precision, long double precision);
        CREATE TYPE address AS (street text, house_number integer, location place);
        CREATE TYPE kind AS ENUM ('home', 'work');
        CREATE TYPE tagged AS (kind kind, labels text[], others address[]);
        CREATE DOMAIN short AS varchar(5) CHECK (value <> 'no');
        CREATE DOMAIN place_near AS place CHECK ((value).lat < 90);
        CREATE TYPE kinds AS RANGE (subtype = kind);
        CREATE TYPE texts AS RANGE (subtype = text);
        CREATE TYPE places AS RANGE (subtype = place)
        """);

    [Test]
    public async Task A_composite_is_read_as_objects_as_text_and_as_a_class()
    {
        for (var run = 1; run <= 3; run++)
        {
            await using var command = Command($"SELECT {Sample}, ARRAY[{Sample}, NULL], NULL::place, ROW(2, 3)::place");
            var reader = await Mode.ExecuteReader(command);
            await Mode.Read(reader);
            Assert.That(reader.GetValue(0), Is.EqualTo(new object?[] { "Main St", 5, new object?[] { 1.5, null } }));
            Assert.That(reader.GetString(0), Is.EqualTo("(\"Main St\",5,\"(1.5,)\")"));
            var place = new Place { Lat = 1.5 };
            Assert.That(reader.GetFieldValue<Address>(0), Is.EqualTo(new Address("Main St", 5, place)));
            Assert.That(reader.GetFieldValue<Address?[]>(1), Is.EqualTo(new[] { new Address("Main St", 5, place), null }));
            Assert.That(reader.GetFieldValue<List<Address?>>(1), Is.EqualTo(new[] { new Address("Main St", 5, place), null }));
            Assert.That(reader.GetFieldValue<Place?>(2), Is.Null);
            Assert.That(reader.GetFieldValue<Place?>(3), Is.EqualTo(new Place { Lat = 2, Longitude = 3 }));
            Assert.That(reader.GetDataTypeName(0), Is.EqualTo(Schema + ".address"));
            await Mode.Close(reader);
        }
    }

    [Test]
    public async Task A_class_is_written_by_the_name_of_the_type_and_when_mapped_by_itself()
    {
        var address = new Address("a \"b\", (c)", null, new Place { Lat = 1, Longitude = 2 });
        Assert.That(await Value<string>("SELECT $1::text", new PgParameter { Value = address, DataTypeName = "address" }),
            Is.EqualTo("(\"a \"\"b\"\", (c)\",,\"(1,2)\")"));
        Assert.That(await Value<Address>("SELECT $1", new PgParameter<Address> { TypedValue = address, DataTypeName = "address" }), Is.EqualTo(address));
        Assert.That(await Value<string>("SELECT ($1).street", new PgParameter { Value = new object?[] { "x", 1, null }, DataTypeName = "address" }), Is.EqualTo("x"));
        Assert.That(await Value<string>("SELECT ($1).street", new PgParameter { Value = "(y,2,)", DataTypeName = "address" }), Is.EqualTo("y"));

        await UseSource(builder => builder.MapComposite<Address>());

        Assert.That(await Value<object>("SELECT $1", address), Is.EqualTo(address));
        Assert.That(await Value<object>("SELECT $1", new PgParameter { Value = new[] { address, address } }), Is.EqualTo(new[] { address, address }));
    }

    [Test]
    public async Task Enums_arrays_and_composites_are_fields()
    {
        var sql = $"SELECT ROW('work', ARRAY['a', NULL], ARRAY[{Sample}])::tagged";

        var tagged = await Value<Tagged>(sql);

        Assert.That((tagged.Kind, tagged.Labels, tagged.Others![0].Street), Is.EqualTo((Kind.Work, new[] { "a", null }, "Main St")));
        Assert.That(await Value<string>("SELECT $1::text", new PgParameter { Value = tagged, DataTypeName = "tagged" }), Is.EqualTo(await Value<string>(sql + "::text")));
    }

    [Test]
    public async Task A_class_without_a_field_names_it_and_reading_goes_on()
    {
        await using var command = Command("SELECT ROW(1, 2)::place, 'next'");
        var reader = await Mode.ExecuteReader(command);
        await Mode.Read(reader);

        var error = Assert.Throws<InvalidCastException>(() => reader.GetFieldValue<Tagged>(0))!;

        Assert.That(error.Message, Does.Contain("ordinal 0").And.Contain("lat, long").And.Contain("[PgName]"));
        Assert.That(reader.GetString(1), Is.EqualTo("next"));
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_NULL_field_of_a_member_that_takes_none_is_named()
    {
        await using var command = Command("SELECT ROW(NULL, 2)::place");
        var reader = await Mode.ExecuteReader(command);
        await Mode.Read(reader);

        Assert.That(Assert.Throws<InvalidCastException>(() => reader.GetFieldValue<Place>(0))!.Message, Does.Contain("'lat'").And.Contain("double?"));

        await Mode.Close(reader);
    }

    [Test]
    public async Task Domains_are_what_they_are_over()
    {
        Assert.That(await Value<object>("SELECT 'abc'::short"), Is.EqualTo("abc"));
        Assert.That(await Value<object>("SELECT ARRAY['abc'::short]"), Is.EqualTo(new[] { "abc" }));
        Assert.That(await Value<Place>("SELECT ROW(1, 2)::place::place_near"), Is.EqualTo(new Place { Lat = 1, Longitude = 2 }));
        Assert.That(await Value<string>("SELECT pg_typeof($1)::text", new PgParameter { Value = "x", DataTypeName = "short" }), Is.EqualTo("short"));
        var error = await Catch<PostgresException>(() => Value<string>("SELECT $1", new PgParameter { Value = "no", DataTypeName = "short" }));
        Assert.That(error.SqlState, Is.EqualTo(SqlStates.CheckViolation));
    }

    [Test]
    public async Task Ranges_of_enums_and_texts_are_read_and_written()
    {
        Assert.That(await Value<PgRange<Kind>>("SELECT kinds('home', 'work', '[]')"), Is.EqualTo(new PgRange<Kind>(Kind.Home, Kind.Work)));
        Assert.That(await Value<object>("SELECT texts('a', 'b, c')"), Is.EqualTo(new PgRange<string>("a", true, "b, c", false)));
        Assert.That(await Value<string>("SELECT $1::text", new PgParameter { Value = new PgRange<string>("a", "b"), DataTypeName = "texts" }), Is.EqualTo("[a,b]"));
        Assert.That(await Value<PgRange<string>[]>("SELECT multirange(texts('a', 'b'))"), Is.EqualTo(new[] { new PgRange<string>("a", true, "b", false) }));
    }

    [Test]
    public async Task Ranges_of_mapped_and_of_other_composites_are_read_and_written([Values] bool isMapped)
    {
        if (isMapped)
            await UseSource(builder => builder.MapComposite<Place>("place"));
        var range = new PgRange<Place>(new Place { Lat = 1, Longitude = 2 }, true, new Place { Lat = 3 }, false);

        Assert.That(await Value<PgRange<Place>>("SELECT places(ROW(1, 2), ROW(3, NULL))"), Is.EqualTo(range));
        Assert.That(await Value<PgRange<Place>?>("SELECT places(ROW(1, 2), ROW(3, NULL))"), Is.EqualTo(range));
        Assert.That(await Value<PgRange<Place>[]>("SELECT multirange(places(ROW(1, 2), ROW(3, NULL)))"), Is.EqualTo(new[] { range }));
        Assert.That(await Value<string>("SELECT $1::text", new PgParameter { Value = range, DataTypeName = "places" }), Is.EqualTo("[\"(1,2)\",\"(3,)\")"));
        if (isMapped)
            Assert.That(await Value<object>("SELECT places(ROW(1, 2), ROW(3, NULL))"), Is.EqualTo(range));
    }

    [Test]
    public async Task A_composite_that_is_changed_through_the_data_source_is_read_with_its_new_fields()
    {
        Assert.That(await Value<object>("SELECT ROW(1, 2)::place"), Is.EqualTo(new object[] { 1.0, 2.0 }));

        await Execute("ALTER TYPE place ADD ATTRIBUTE height integer");

        Assert.That(await Value<object>("SELECT ROW(1, 2, 3)::place"), Is.EqualTo(new object[] { 1.0, 2.0, 3 }));
    }

    [Test]
    public async Task A_composite_that_somebody_else_has_changed_is_an_error_once_and_then_read()
    {
        Assert.That(await Value<object>("SELECT ROW(1, 2)::place"), Is.EqualTo(new object[] { 1.0, 2.0 }));
        await ElseWhere("ALTER TYPE place ADD ATTRIBUTE height integer");

        var error = await Catch<PgException>(() => Value<object>("SELECT ROW(1, 2, 3)::place"));

        Assert.That(error.Message, Does.Contain("other fields").And.Contain("ordinal 0"));
        Assert.That(await Value<object>("SELECT ROW(1, 2, 3)::place"), Is.EqualTo(new object[] { 1.0, 2.0, 3 }));
    }

    [Test]
    public async Task Records_are_objects_and_tuples_whatever_they_hold()
    {
        Assert.That(await Value<object>($"SELECT ROW(1, 'x'::text, 'home'::kind, {Sample})"),
            Is.EqualTo(new object?[] { 1, "x", "home", new object?[] { "Main St", 5, new object?[] { 1.5, null } } }));
        Assert.That(await Value<(int, string, Kind)>("SELECT ROW(1, 'x'::text, 'home'::kind)"), Is.EqualTo((1, "x", Kind.Home)));
        Assert.That(await Value<object>("SELECT ARRAY[ROW(1, 'work'::kind)]"), Is.EqualTo(new object[] { new object[] { 1, "work" } }));
    }

    [Test]
    public async Task Arrays_of_records_and_composites_are_read_as_tuples()
    {
        const string Records = "SELECT ARRAY[ROW(1, 'work'::kind), ROW(2, 'home'::kind)]";

        Assert.That(await Value<(int, Kind)[]>(Records), Is.EqualTo(new[] { (1, Kind.Work), (2, Kind.Home) }));
        Assert.That(await Value<List<(long, string)>>(Records), Is.EqualTo(new[] { (1L, "work"), (2L, "home") }));
        Assert.That(await Value<Tuple<int, string>[]>(Records), Is.EqualTo(new[] { Tuple.Create(1, "work"), Tuple.Create(2, "home") }));
        Assert.That(await Value<(double, double?)[]>("SELECT ARRAY[ROW(1, NULL)::place]"), Is.EqualTo(new[] { (1d, (double?)null) }));
        Assert.That(await Value<Tuple<int, int>?[]>("SELECT ARRAY[ROW(1, 2), NULL]"), Is.EqualTo(new[] { Tuple.Create(1, 2), null }));
        Assert.That(await Catch<InvalidCastException>(() => Value<(int, int)[]>("SELECT ARRAY[ROW(1, 2), NULL]")), Is.Not.Null);
        Assert.That((await Catch<InvalidCastException>(() => Value<(int, int)[]>("SELECT ARRAY[ROW(1)]"))).Message, Does.Contain("1 fields"));
        Assert.That((await Catch<InvalidCastException>(() => Value<string>("SELECT $1::text", new PgParameter { Value = new[] { (1, 2) }, DataTypeName = "place[]" }))).Message,
            Does.Contain("ROW(...)"));
        await AssertUsable();
    }

    [Test]
    public async Task Row_types_of_tables_are_composites()
    {
        await ElseWhere("CREATE TABLE person (id int, name text, gone int, kind kind); ALTER TABLE person DROP COLUMN gone; INSERT INTO person VALUES (1, 'Ann', 'work')");

        Assert.That(await Value<object>("SELECT person FROM person"), Is.EqualTo(new object[] { 1, "Ann", "work" }));
    }
}
