using System.Data;
using Loxo.Types;

namespace Loxo.Parameters;

/// <summary>What few parameters have: the others are smaller without.</summary>
internal sealed record ParameterDetails
{
    public string? DataTypeName { get; set; }

    /// <summary>The name to ask the database for; null where the type is built in.</summary>
    public string? TypeName { get; set; }

    /// <summary>The type that the database has told when the parameter was derived.</summary>
    public PostgresType? DerivedType { get; set; }

    public string SourceColumn { get; set; } = "";

    public bool SourceColumnNullMapping { get; set; }

    public DataRowVersion SourceVersion { get; set; } = DataRowVersion.Current;

    public byte Precision { get; set; }

    public byte Scale { get; set; }

    public TimestampPolicy? TimestampPolicy { get; set; }
}
