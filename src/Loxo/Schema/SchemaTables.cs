using System.Data;
using System.Data.Common;

namespace Loxo.Schema;

/// <summary>The collections of <see cref="PgConnection.GetSchema()"/> that describe the provider: no query is sent for them.</summary>
internal static class SchemaTables
{
    private const string Identifier = """(^[\p{L}_][\p{L}\p{N}_$]*$)|(^"([^"\0]|"")+"$)""";
    private const string ParameterName = @"[\p{L}\p{N}_][\p{L}\p{N}_$]*";

    /// <summary>The table of a collection for which no connection is needed; null for the others.</summary>
    public static DataTable? Of(SchemaCollection collection) => collection.Name switch
    {
        "MetaDataCollections" => Collections(),
        "Restrictions" => Restrictions(),
        _ => null,
    };

    public static DataTable New(string name, params (string Name, Type Type)[] columns)
    {
        var table = new DataTable(name) { Locale = CultureInfo.InvariantCulture };
        foreach (var (column, type) in columns)
            table.Columns.Add(column, type);
        return table;
    }

    private static DataTable Collections()
    {
        var table = New("MetaDataCollections",
            ("CollectionName", typeof(string)), ("NumberOfRestrictions", typeof(int)), ("NumberOfIdentifierParts", typeof(int)));
        foreach (var collection in SchemaCollection.All)
            table.Rows.Add(collection.Name, collection.Restrictions.Length, collection.IdentifierParts);
        return table;
    }

    private static DataTable Restrictions()
    {
        var table = New("Restrictions",
            ("CollectionName", typeof(string)), ("RestrictionName", typeof(string)), ("RestrictionDefault", typeof(string)),
            ("RestrictionNumber", typeof(int)));
        foreach (var collection in SchemaCollection.All)
        {
            for (var i = 0; i < collection.Restrictions.Length; i++)
                table.Rows.Add(collection.Name, collection.Restrictions[i].Name, collection.Restrictions[i].Column, i + 1);
        }
        return table;
    }

    public static DataTable DataSourceInformation(PgConnection connection)
    {
        var server = connection.PostgreSqlVersion;
        (string Name, object Value)[] facts =
        [
            (DbMetaDataColumnNames.CompositeIdentifierSeparatorPattern, @"\."),
            (DbMetaDataColumnNames.DataSourceProductName, "PostgreSQL"),
            (DbMetaDataColumnNames.DataSourceProductVersion, server.ToString()),
            (DbMetaDataColumnNames.DataSourceProductVersionNormalized, $"{server.Major:00}.{server.Minor:00}"),
            (DbMetaDataColumnNames.GroupByBehavior, GroupByBehavior.Unrelated),
            (DbMetaDataColumnNames.IdentifierPattern, Identifier),
            (DbMetaDataColumnNames.IdentifierCase, IdentifierCase.Insensitive),
            (DbMetaDataColumnNames.OrderByColumnsInSelect, false),
            // Parameters may be named with their '@', so generic code must not add one.
            (DbMetaDataColumnNames.ParameterMarkerFormat, "{0}"),
            (DbMetaDataColumnNames.ParameterMarkerPattern, "[@:]" + ParameterName),
            (DbMetaDataColumnNames.ParameterNameMaxLength, 63),
            (DbMetaDataColumnNames.QuotedIdentifierPattern, """
                "(([^"]|"")*)"
                """),
            (DbMetaDataColumnNames.QuotedIdentifierCase, IdentifierCase.Sensitive),
            (DbMetaDataColumnNames.ParameterNamePattern, $"^[@:]?{ParameterName}$"),
            (DbMetaDataColumnNames.StatementSeparatorPattern, ";"),
            (DbMetaDataColumnNames.StringLiteralPattern, "'(([^']|'')*)'"),
            (DbMetaDataColumnNames.SupportedJoinOperators,
                SupportedJoinOperators.Inner | SupportedJoinOperators.LeftOuter | SupportedJoinOperators.RightOuter
                | SupportedJoinOperators.FullOuter),
        ];
        var table = new DataTable("DataSourceInformation") { Locale = CultureInfo.InvariantCulture };
        foreach (var (name, value) in facts)
        {
            table.Columns.Add(name, value switch
            {
                int => typeof(int),
                bool => typeof(bool),
                GroupByBehavior => typeof(GroupByBehavior),
                IdentifierCase => typeof(IdentifierCase),
                SupportedJoinOperators => typeof(SupportedJoinOperators),
                _ => typeof(string),
            });
        }
        table.Rows.Add(Array.ConvertAll(facts, fact => fact.Value));
        return table;
    }
}
