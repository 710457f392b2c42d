namespace Loxo.Types;

/// <summary>A type as the database's catalogue describes it (pg_type and related tables).</summary>
internal sealed record TypeDescription
{
    public required uint Oid { get; init; }

    /// <summary>pg_namespace.nspname.</summary>
    public required string Schema { get; init; }

    /// <summary>pg_type.typname.</summary>
    public required string Name { get; init; }

    /// <summary>The name in SQL, with its schema.</summary>
    public string DisplayName => new TypeName(Schema, Name).ToString();

    /// <summary>pg_type.typtype: b, c, d, e, r, m or p.</summary>
    public required char Kind { get; init; }

    /// <summary>Of a true array, the type of its elements; else 0.</summary>
    public uint Element { get; init; }

    /// <summary>The type of arrays of it; 0 for none.</summary>
    public uint Array { get; init; }

    /// <summary>Of a domain, the type below it; else 0.</summary>
    public uint Base { get; init; }

    /// <summary>Of a domain, whether it is declared NOT NULL itself.</summary>
    public bool IsNotNull { get; init; }

    /// <summary>Of a range, the type of its bounds; of a multirange, its range; else 0.</summary>
    public uint Subtype { get; init; }

    /// <summary>The function of pg_catalog that sends values in binary; empty for none and for those of extensions.</summary>
    public string SendFunction { get; init; } = "";

    public IReadOnlyList<FieldDescription> Fields { get; init; } = [];

    public IReadOnlyList<string> Labels { get; init; } = [];

    /// <summary>Whether the name alone finds it, by the search path of the session that asked.</summary>
    public bool IsVisible { get; init; }

    /// <summary>Whether a transaction that is still open made or changed it, or may have.</summary>
    public bool MayBeRolledBack { get; init; }
}

internal sealed record FieldDescription(string Name, uint TypeOid, int Modifier);
