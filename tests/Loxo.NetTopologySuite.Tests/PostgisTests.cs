using NetTopologySuite.Geometries;

namespace Loxo.NetTopologySuite.Tests;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class PostgisTests(WaitMode mode)
{
    private PgDataSource _source = null!;
    private PgConnection _connection = null!;

    private static IEnumerable<string> Texts => Golden.Samples.Keys;

    [SetUp]
    public async Task Open()
    {
        _source = Build(builder => builder.UseNetTopologySuite());
        _connection = _source.CreateConnection();
        await mode.Open(_connection);
    }

    [TearDown]
    public async Task Close()
    {
        await _connection.DisposeAsync();
        await _source.DisposeAsync();
    }

    [TestCaseSource(nameof(Texts))]
    public async Task A_geometry_is_read_and_written(string text) =>
        await OnRow($"SELECT ST_GeomFromEWKT('{text}'), $1, ST_AsEWKT($1) = ST_AsEWKT(ST_GeomFromEWKT('{text}')), pg_typeof($1)::text", reader =>
        {
            Assert.That(Golden.Text((Geometry)reader.GetValue(0)), Is.EqualTo(text));
            Assert.That(Golden.Text(reader.GetFieldValue<Geometry>(1)), Is.EqualTo(text));
            Assert.That((reader.GetBoolean(2), reader.GetString(3)), Is.EqualTo((true, "geometry")));
            Assert.That(reader.GetFieldType(0), Is.EqualTo(typeof(Geometry)));
        }, new PgParameter { Value = Golden.Geometry(text) });

    [Test]
    public async Task A_class_can_be_asked_for() =>
        await OnRow("SELECT 'POINT(1 2)'::geometry, NULL::geometry, 'SRID=4326;POINT(1 2)'::geography", reader =>
        {
            Assert.That(reader.GetFieldValue<Point>(0).X, Is.EqualTo(1));
            Assert.That(() => reader.GetFieldValue<Polygon>(0), Throws.TypeOf<InvalidCastException>().With.Message.Contains("Polygon"));
            Assert.That(reader.GetValue(1), Is.EqualTo(DBNull.Value));
            Assert.That(reader.GetFieldValue<Point>(2).SRID, Is.EqualTo(4326));
        });

    [Test]
    public async Task Arrays_and_typed_parameters_and_NULL_are_written()
    {
        Point[] points = [new(1, 2) { SRID = 4326 }, new(3, 4) { SRID = 4326 }];
        await OnRow("SELECT $1, ST_AsText($2), $3 IS NULL", reader =>
        {
            Assert.That(reader.GetFieldValue<Point[]>(0), Is.EqualTo(points));
            Assert.That(reader.GetFieldValue<Geometry[]>(0), Is.EqualTo(points));
            Assert.That(reader.GetString(1), Is.EqualTo("POINT(1 2)"));
            Assert.That(reader.GetBoolean(2), Is.True);
        }, new PgParameter { Value = points }, new PgParameter<Point>(new Point(1, 2)), new PgParameter { DataTypeName = "geometry", Value = DBNull.Value });
    }

    [Test]
    public async Task A_geography_is_written_where_it_is_said()
    {
        await OnRow("SELECT ST_Distance($1, $2)", reader => Assert.That(reader.GetDouble(0), Is.EqualTo(111_195).Within(500)),
            new PgParameter { DataTypeName = "geography", Value = new Point(0, 0) }, new PgParameter { DataTypeName = "geography", Value = new Point(1, 0) });

        await using var source = Build(builder => builder.UseNetTopologySuite(geographyAsDefault: true));
        await using var command = source.CreateCommand("SELECT pg_typeof($1)::text");
        command.Parameters.Add(new PgParameter { Value = new Point(0, 0) });
        Assert.That(await mode.ExecuteScalar(command), Is.EqualTo("geography"));
    }

    [Test]
    public async Task A_geometry_in_a_row_of_a_table_comes_back()
    {
        await Execute("CREATE TEMP TABLE places (id int, place geometry(PointZ, 4326))");
        await Execute("INSERT INTO places VALUES (1, $1)", new PgParameter { Value = new Point(1, 2, 3) { SRID = 4326 } });
        await OnRow("SELECT place FROM places", reader => Assert.That(reader.GetFieldValue<Point>(0).Z, Is.EqualTo(3)));
        await OnRow("SELECT place FROM places", reader => Assert.That(Golden.Text(reader.GetFieldValue<Point>(0)), Is.EqualTo("SRID=4326;POINT Z(1 2 3)")));
    }

    [Test]
    public async Task What_has_no_class_is_an_error_that_names_the_column_and_the_connection_goes_on()
    {
        await OnRow("SELECT 'CIRCULARSTRING(0 0,1 1,2 0)'::geometry AS curve", reader =>
            Assert.That(() => reader.GetValue(0), Throws.TypeOf<InvalidCastException>().With.Message.Contains("'curve'").And.Message.Contains("ST_CurveToLine")));
        await OnRow("SELECT 42", reader => Assert.That(reader.GetInt32(0), Is.EqualTo(42)));
    }

    private static PgDataSource Build(Action<PgDataSourceBuilder> configure)
    {
        var builder = new PgDataSourceBuilder(PostgisServer.ConnectionString);
        configure(builder);
        return builder.Build();
    }

    private async Task Execute(string sql, params PgParameter[] parameters)
    {
        await using var command = Command(sql, parameters);
        await mode.ExecuteNonQuery(command);
    }

    private async Task OnRow(string sql, Action<PgDataReader> test, params PgParameter[] parameters)
    {
        await using var command = Command(sql, parameters);
        await using var reader = await mode.ExecuteReader(command);
        Assert.That(await mode.Read(reader), Is.True);
        test(reader);
    }

    private PgCommand Command(string sql, PgParameter[] parameters)
    {
        var command = new PgCommand(sql, _connection);
        foreach (var parameter in parameters)
            command.Parameters.Add(parameter);
        return command;
    }
}
