using Loxo.Protocol;

namespace Loxo.Session;

/// <summary>A statement that the server knows by name, on one session.</summary>
internal sealed class PreparedStatement(string name, string sql, uint[] parameterTypes)
{
    /// <summary>Its name on the server.</summary>
    public string Name { get; } = name;

    /// <summary>Its text, with <c>$n</c> placeholders.</summary>
    public string Sql { get; } = sql;

    /// <summary>Type OIDs of the parameters as given to Parse; 0 where the server was to choose.</summary>
    public uint[] AskedTypes { get; } = parameterTypes;

    /// <summary>Type OIDs of the parameters; the server's own once it has described them.</summary>
    public uint[] ParameterTypes { get; set; } = parameterTypes;

    /// <summary>Its columns; null when it returns no rows.</summary>
    public ResultShape? Shape { get; set; }

    /// <summary>The formats to ask for; empty for binary throughout.</summary>
    public ReadOnlySpan<FormatCode> Formats => Shape is { } shape ? shape.Formats : [];

    /// <summary>False after Close was sent or the server forgot it: it must not be bound again.</summary>
    public bool IsValid { get; set; } = true;

    /// <summary>How many statements of commands were prepared as this one and not yet unprepared: the last one closes it.</summary>
    public int Holders { get; set; }
}
