namespace Loxo.Schema;

/// <summary>One collection of <see cref="PgConnection.GetSchema(string, string?[])"/>.</summary>
/// <param name="Name">Its name; callers may write it in any case.</param>
/// <param name="IdentifierParts">How many parts the name of an object of this kind has, the database included.</param>
/// <param name="Sql">The query, whose columns are those of the table; null for a table that needs none.</param>
/// <param name="Restrictions">The restrictions in order, each with the column that it is compared with.</param>
internal sealed record SchemaCollection(string Name, int IdentifierParts, string? Sql, params (string Name, string Column)[] Restrictions)
{
    private static readonly (string Name, string Column)[] OfConstraints =
        [("Catalog", "TABLE_CATALOG"), ("Schema", "TABLE_SCHEMA"), ("Table", "TABLE_NAME"), ("Constraint", "CONSTRAINT_NAME")];

    /// <summary>All collections, in the order of MetaDataCollections.</summary>
    public static readonly SchemaCollection[] All =
    [
        new("MetaDataCollections", 0, null),
        new("DataSourceInformation", 0, null),
        new("DataTypes", 0, null),
        new("Restrictions", 0, null),
        new("ReservedWords", 0, SchemaSql.ReservedWords),
        new("Databases", 1, SchemaSql.Databases, ("Name", "database_name")),
        new("Schemata", 2, SchemaSql.Schemata, ("Catalog", "catalog_name"), ("Schema", "schema_name"), ("Owner", "schema_owner")),
        new("Tables", 3, SchemaSql.Tables,
            ("Catalog", "table_catalog"), ("Schema", "table_schema"), ("Table", "table_name"), ("TableType", "table_type")),
        new("Columns", 4, SchemaSql.Columns,
            ("Catalog", "table_catalog"), ("Schema", "table_schema"), ("TableName", "table_name"), ("Column", "column_name")),
        new("Views", 3, SchemaSql.Views, ("Catalog", "table_catalog"), ("Schema", "table_schema"), ("Table", "table_name")),
        new("MaterializedViews", 3, SchemaSql.MaterializedViews,
            ("Catalog", "table_catalog"), ("Schema", "table_schema"), ("Table", "table_name")),
        new("Users", 1, SchemaSql.Users, ("User", "user_name")),
        new("Indexes", 4, SchemaSql.Indexes,
            ("Catalog", "table_catalog"), ("Schema", "table_schema"), ("Table", "table_name"), ("Index", "index_name")),
        new("IndexColumns", 5, SchemaSql.IndexColumns,
            ("Catalog", "table_catalog"), ("Schema", "table_schema"), ("Table", "table_name"), ("Index", "index_name"),
            ("Column", "column_name")),
        new("Constraints", 4, SchemaSql.Constraints("'p', 'u', 'f'"), OfConstraints),
        new("PrimaryKey", 4, SchemaSql.Constraints("'p'"), OfConstraints),
        new("UniqueKeys", 4, SchemaSql.Constraints("'u'"), OfConstraints),
        new("ForeignKeys", 4, SchemaSql.Constraints("'f'"), OfConstraints),
        new("ConstraintColumns", 5, SchemaSql.ConstraintColumns,
            ("Catalog", "table_catalog"), ("Schema", "table_schema"), ("Table", "table_name"), ("Constraint", "constraint_name"),
            ("Column", "column_name")),
    ];
}
