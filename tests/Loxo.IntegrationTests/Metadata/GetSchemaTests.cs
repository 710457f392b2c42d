using System.Data;
using System.Data.Common;
using Npgsql;

namespace Loxo.IntegrationTests.Metadata;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class GetSchemaTests(WaitMode mode) : MetadataTest(mode)
{
    private static readonly string[] Collections =
    [
        "MetaDataCollections", "DataSourceInformation", "DataTypes", "Restrictions", "ReservedWords", "Databases", "Schemata", "Tables", "Columns",
        "Views", "MaterializedViews", "Users", "Indexes", "IndexColumns", "Constraints", "PrimaryKey", "UniqueKeys", "ForeignKeys", "ConstraintColumns",
    ];

    /// <summary>The collections whose rows are not all the same as Npgsql's, with the reason, and whether a row is one of those that differ.</summary>
    private static readonly Dictionary<string, (string Reason, Func<DataRow, bool> IsIntended)> Intended = new()
    {
        ["MetaDataCollections"] = ("Npgsql lists 11 of its 19 collections", _ => true),
        ["Restrictions"] = ("Npgsql lists those of 7 collections, one under 'Database', and the column 'schema_catalog', which does not exist",
            row => (string)row[0] is not ("Columns" or "Users" or "Views")),
        ["DataSourceInformation"] = ("the product is PostgreSQL, and the patterns are those of its names and parameters", _ => true),
        ["DataTypes"] = ("compared in a test of its own", _ => true),
        ["ReservedWords"] = ("the server's own list; Npgsql has one of an early version",
            row => (string)row[0] is "OVER" or "COLLATION" or "TABLESAMPLE" or "SYSTEM_USER"),
        ["Views"] = ("Npgsql shows check_option as is_updatable", _ => true),
        ["Indexes"] = ("Npgsql has no indexes of partitioned tables", row => (string)row["table_name"] == "parts"),
        ["IndexColumns"] = ("Npgsql has no indexes of partitioned tables", row => (string)row["table_name"] == "parts"),
        ["ConstraintColumns"] = ("Npgsql has no constraints of partitioned tables", row => (string)row["table_name"] == "parts"),
    };

    [Test]
    public async Task There_are_the_19_collections_of_Npgsql_and_each_can_be_read()
    {
        var table = await Mode.Run(Connection.GetSchema, () => Connection.GetSchemaAsync());

        Assert.That(table.Rows.Cast<DataRow>().Select(row => row[0]), Is.EqualTo(Collections));
        foreach (DataRow row in table.Rows)
        {
            var collection = await Mode.Run(() => Connection.GetSchema((string)row[0]), () => Connection.GetSchemaAsync((string)row[0]));
            Assert.That(collection.TableName, Is.EqualTo(row[0]));
            Assert.That(collection.Rows, Is.Not.Empty, collection.TableName);
        }
    }

    [TestCaseSource(nameof(Collections))]
    public async Task A_collection_has_the_columns_of_Npgsql(string name)
    {
        var (ours, theirs) = (await GetSchema(name), Other.GetSchema(name));

        Assert.That(ColumnsOf(ours), Is.EqualTo(ColumnsOf(theirs)));
    }

    [TestCaseSource(nameof(Collections))]
    public async Task A_collection_has_the_rows_of_Npgsql_but_for_the_intended_differences(string name)
    {
        var (ours, theirs) = (RowsOf(await GetSchema(name)), RowsOf(Other.GetSchema(name)));
        var differing = ours.Where(row => !theirs.ContainsKey(row.Key)).Concat(theirs.Where(row => !ours.ContainsKey(row.Key)));

        Assert.That(differing.Where(row => !IsIntended(name, row.Value)).Select(row => row.Key), Is.Empty);
        Assert.That(differing.Any(), Is.EqualTo(Intended.ContainsKey(name)), "a difference that is gone must leave the list");
    }

    [Test]
    public async Task Each_restriction_selects_the_rows_with_its_value()
    {
        var restrictions = await GetSchema("Restrictions");
        foreach (var collection in restrictions.Rows.Cast<DataRow>().GroupBy(row => (string)row["CollectionName"]))
        {
            var all = await GetSchema(collection.Key);
            foreach (var restriction in collection)
            {
                var (column, number) = ((string)restriction["RestrictionDefault"], (int)restriction["RestrictionNumber"]);
                // The last rows are those of the tests' own objects.
                foreach (var value in all.Rows.Cast<DataRow>().Select(row => (string)row[column]).Distinct().TakeLast(3))
                {
                    var values = new string?[number];
                    values[^1] = value;
                    var selected = await GetSchema(collection.Key, values);
                    Assert.That(selected.Rows.Cast<DataRow>().Select(Text),
                        Is.EquivalentTo(all.Rows.Cast<DataRow>().Where(row => (string)row[column] == value).Select(Text)), $"{collection.Key}.{column}");
                }
            }
        }
    }

    [Test]
    public async Task Restrictions_agree_with_Npgsql()
    {
        string?[][] cases = [[null, Schema], [null, QuotedSchema, "Child \" T"], [null, Schema, "parent", null], ["nowhere"], [], [null, ""]];
        foreach (var name in new[] { "Tables", "Columns", "MaterializedViews", "Indexes", "Constraints", "PrimaryKey", "UniqueKeys", "ForeignKeys" })
        {
            foreach (var values in cases.Where(values => name != "MaterializedViews" || values.Length < 4))
            {
                var (ours, theirs) = (RowsOf(await GetSchema(name, values)), RowsOf(Other.GetSchema(name, values)));
                Assert.That(ours.Where(row => !IsIntended(name, row.Value)).Select(row => row.Key), Is.EquivalentTo(theirs.Keys),
                    $"{name}: {string.Join(", ", values)}");
            }
        }
    }

    [Test]
    public async Task Several_restrictions_hold_together()
    {
        var columns = await GetSchema("IndexColumns", null, QuotedSchema, "Child \" T", "Child \" T_pkey", "pid");

        Assert.That(columns.Rows.Cast<DataRow>().Single()["column_name"], Is.EqualTo("pid"));
    }

    [Test]
    public async Task A_view_is_updatable_if_the_server_says_so()
    {
        var views = await GetSchema("Views", null, Schema);

        Assert.That(views.Rows.Cast<DataRow>().Select(row => $"{row["table_name"]} {row["is_updatable"]}"),
            Is.EquivalentTo(new[] { "named YES", "counted NO" }));
    }

    [Test]
    public async Task Partitioned_tables_have_their_indexes_and_constraints()
    {
        Assert.That((await GetSchema("Indexes", null, Schema, "parts")).Rows[0]["index_name"], Is.EqualTo("parts_pkey"));
        Assert.That((await GetSchema("IndexColumns", null, Schema, "parts")).Rows[0]["column_name"], Is.EqualTo("id"));
        Assert.That((await GetSchema("ConstraintColumns", null, Schema, "parts")).Rows[0]["column_name"], Is.EqualTo("id"));
    }

    [Test]
    public async Task The_data_types_of_Npgsql_are_there_and_are_read_as_DataType_says()
    {
        var (ours, theirs) = (await GetSchema("DataTypes"), Other.GetSchema("DataTypes"));
        var byOid = ours.Rows.Cast<DataRow>().ToDictionary(row => (uint)row["OID"]);
        // No column can be of a pseudo-type.
        var missing = theirs.Rows.Cast<DataRow>().Where(row => !byOid.ContainsKey((uint)row["OID"])).Select(row => row["TypeName"]);
        Assert.That(missing, Is.EquivalentTo(new[] { "record", "void", "unknown", "record[]" }).Or.EquivalentTo(new[] { "record", "void", "record[]" }));
        foreach (DataRow other in theirs.Rows)
        {
            if (!byOid.TryGetValue((uint)other["OID"], out var row))
                continue;
            // In SQL, char without quotes is character(1).
            Assert.That(row["TypeName"], Is.EqualTo(((string)other["TypeName"]).Replace("char", "\"char\"", StringComparison.Ordinal))
                .Or.EqualTo(other["TypeName"]));
            var dbType = other["ProviderDbType"];
            if (dbType is int number && Enum.IsDefined((PgDbType)number))
                Assert.That(row["ProviderDbType"], Is.EqualTo(dbType), (string)other["TypeName"]);
            foreach (var fact in new[] { "IsNullable", "IsSearchable" })
                Assert.That(row[fact], Is.EqualTo(other[fact]), fact);
        }
        foreach (var row in ours.Rows.Cast<DataRow>().Where(row => (string)row["TypeName"] is "integer" or "text[]" or "metadata.mood" or "metadata.pair"))
        {
            await using var command = Command($"SELECT NULL::{row["TypeName"]}");
            var reader = await Mode.ExecuteReader(command);
            Assert.That(row["DataType"], Is.EqualTo(reader.GetFieldType(0).ToString()));
            await Mode.Close(reader);
        }
    }

    [TestCase("integer", "INTEGER", "", "System.Int32")]
    [TestCase("numeric", "NUMERIC({0},{1})", "precision, scale", "System.Decimal")]
    [TestCase("character varying", "CHARACTER VARYING({0})", "size", "System.String")]
    [TestCase("bit[]", "BIT({0})[]", "size", "System.Collections.BitArray[]")]
    [TestCase("metadata.positive", "INTEGER", "", "System.Int32")]
    [TestCase("metadata.mood[]", "METADATA.MOOD[]", "", "System.String[]")]
    public async Task A_data_type_tells_how_to_create_it(string name, string? format, string parameters, string dataType)
    {
        var row = (await GetSchema("DataTypes")).Rows.Cast<DataRow>().SingleOrDefault(row => (string)row["TypeName"] == name);

        Assert.That(row?["CreateFormat"], Is.EqualTo(format));
        if (row is not null)
            Assert.That((row["CreateParameters"], row["DataType"]), Is.EqualTo((parameters, dataType)));
    }

    [Test]
    public async Task Names_of_collections_are_found_in_any_case() =>
        Assert.That((await GetSchema("metadatacollections")).TableName, Is.EqualTo("MetaDataCollections"));

    [Test]
    public async Task What_cannot_be_read_is_refused_by_name()
    {
        Assert.That((await Catch<ArgumentOutOfRangeException>(() => GetSchema("Tabels"))).ParamName, Is.EqualTo("collectionName"));
        await Catch<ArgumentNullException>(() => GetSchema(null!));
        await Catch<ArgumentException>(() => GetSchema(""));
        var many = await Catch<ArgumentException>(() => GetSchema("Users", null, "x"));
        Assert.That(many.Message, Does.Contain("'Users' has 1 restrictions, but 2 values were given"));
        Assert.That((await GetSchema("Users", null, null)).Rows, Is.Not.Empty);
        await AssertUsable();
    }

    [Test]
    public async Task Only_what_describes_the_provider_can_be_read_without_an_open_connection()
    {
        await Connection.CloseAsync();

        Assert.That((await GetSchema("MetaDataCollections")).Rows, Has.Count.EqualTo(19));
        Assert.That((await GetSchema("Restrictions")).Rows, Is.Not.Empty);
        await Catch<InvalidOperationException>(() => GetSchema("Tables"));
        await Catch<InvalidOperationException>(() => GetSchema("DataTypes"));
        await Catch<InvalidOperationException>(() => GetSchema("DataSourceInformation"));
    }

    [Test]
    public async Task The_open_transaction_is_seen()
    {
        await using var transaction = await Connection.BeginTransactionAsync();
        await Execute("CREATE TABLE metadata.made (id int)");

        Assert.That((await GetSchema("Tables", null, Schema, "made")).Rows, Has.Count.EqualTo(1));
        await Mode.Rollback(transaction);
        Assert.That((await GetSchema("Tables", null, Schema, "made")).Rows, Is.Empty);
    }

    private static bool IsIntended(string name, DataRow row) => Intended.TryGetValue(name, out var difference) && difference.IsIntended(row);

    private static Dictionary<string, DataRow> RowsOf(DataTable table) => table.Rows.Cast<DataRow>().DistinctBy(Text).ToDictionary(Text);

    private static IEnumerable<string> ColumnsOf(DataTable table) =>
        table.Columns.Cast<DataColumn>().Select(column => $"{column.ColumnName}: {column.DataType}");
}
