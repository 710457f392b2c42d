namespace Loxo;

/// <summary>A type of the database, as its catalogue describes it.</summary>
public abstract class PostgresType
{
    private protected PostgresType(string schema, string name, string internalName, uint oid) =>
        (Namespace, Name, InternalName, OID) = (schema, name, internalName, oid);

    /// <summary>The schema: <c>pg_catalog</c> for built-in types.</summary>
    public string Namespace { get; }

    /// <summary>The name without schema, as SQL writes it: <c>integer</c>, <c>mood</c>, <c>mood[]</c>.</summary>
    public string Name { get; }

    /// <summary>The name in pg_type: <c>int4</c>, <c>_int4</c>.</summary>
    public string InternalName { get; }

    /// <summary>The name with its schema.</summary>
    public string FullName => Namespace + "." + Name;

    /// <summary>The name to show: without schema for built-in types, with it for others.</summary>
    public string DisplayName => Namespace == "pg_catalog" ? Name : FullName;

    /// <summary>pg_type.oid.</summary>
    public uint OID { get; }

    /// <summary>The type of arrays of it; null if there is none.</summary>
    public PostgresArrayType? Array { get; internal set; }

    /// <summary>The range whose bounds are of this type; null if none is known.</summary>
    public PostgresRangeType? Range { get; internal set; }

    /// <summary><see cref="DisplayName"/>.</summary>
    public override string ToString() => DisplayName;
}

/// <summary>A type that is not made of others: <c>integer</c>, <c>text</c>, a type of an extension.</summary>
public sealed class PostgresBaseType : PostgresType
{
    internal PostgresBaseType(string schema, string name, string internalName, uint oid)
        : base(schema, name, internalName, oid)
    {
    }
}

/// <summary>A type that nothing is known of.</summary>
public sealed class UnknownBackendType : PostgresType
{
    internal UnknownBackendType(uint oid)
        : base("", "unknown", "unknown", oid)
    {
    }
}

/// <summary>An array.</summary>
public sealed class PostgresArrayType : PostgresType
{
    internal PostgresArrayType(PostgresType element, string internalName, uint oid)
        : base(element.Namespace, element.Name + "[]", internalName, oid)
    {
        Element = element;
        element.Array = this;
    }

    /// <summary>The type of its elements.</summary>
    public PostgresType Element { get; }
}

/// <summary>A range.</summary>
public sealed class PostgresRangeType : PostgresType
{
    internal PostgresRangeType(string schema, string name, uint oid, PostgresType subtype)
        : base(schema, name, name, oid)
    {
        Subtype = subtype;
        subtype.Range = this;
    }

    /// <summary>The type of its bounds.</summary>
    public PostgresType Subtype { get; }

    /// <summary>Its multirange; null if none is known.</summary>
    public PostgresMultirangeType? Multirange { get; internal set; }
}

/// <summary>A multirange.</summary>
public sealed class PostgresMultirangeType : PostgresType
{
    internal PostgresMultirangeType(string schema, string name, uint oid, PostgresRangeType subrange)
        : base(schema, name, name, oid)
    {
        Subrange = subrange;
        subrange.Multirange = this;
    }

    /// <summary>The range that it holds several of.</summary>
    public PostgresRangeType Subrange { get; }
}

/// <summary>An enum.</summary>
public sealed class PostgresEnumType : PostgresType
{
    internal PostgresEnumType(string schema, string name, uint oid, IReadOnlyList<string> labels)
        : base(schema, name, name, oid) => Labels = labels;

    /// <summary>Its labels in order, as they were when the type was looked up.</summary>
    public IReadOnlyList<string> Labels { get; }
}

/// <summary>A composite type, or the type of a table's rows.</summary>
public sealed class PostgresCompositeType : PostgresType
{
    private readonly Lazy<IReadOnlyList<Field>> _fields;

    internal PostgresCompositeType(string schema, string name, uint oid, Func<IReadOnlyList<Field>> fields)
        : base(schema, name, name, oid) => _fields = new(fields);

    /// <summary>Its fields in order.</summary>
    public IReadOnlyList<Field> Fields => _fields.Value;

    /// <summary>A field.</summary>
    /// <param name="Name">Its name.</param>
    /// <param name="Type">Its type.</param>
    public sealed record Field(string Name, PostgresType Type);
}

/// <summary>A domain: another type with conditions.</summary>
public sealed class PostgresDomainType : PostgresType
{
    internal PostgresDomainType(string schema, string name, uint oid, PostgresType baseType, bool notNull)
        : base(schema, name, name, oid) => (BaseType, NotNull) = (baseType, notNull);

    /// <summary>The type below it.</summary>
    public PostgresType BaseType { get; }

    /// <summary>
    /// Whether the domain itself was NOT NULL when it was looked up, whatever the type below it says. A column of it can be NULL all the
    /// same where nothing was assigned, as in an outer join.
    /// </summary>
    public bool NotNull { get; }
}
