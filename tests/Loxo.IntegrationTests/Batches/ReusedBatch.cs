using System.Globalization;
using System.Text;

namespace Loxo.IntegrationTests.Batches;

/// <summary>A batch that is changed at random between its executions, and what it is made of, so that the same batch can be made anew.</summary>
internal sealed class ReusedBatch
{
    private static readonly string[] Named =
    [
        "SELECT @a AS x", "SELECT @b AS x, pg_typeof(@b)::text AS t", "SELECT @a::text AS x, @b::text AS y", "SELECT @b::text || @a::text AS x", "SELECT 1 AS x",
        "SELECT count(@a) AS x", "SELECT @a + @b AS x", "SELECT coalesce(@a, @b) AS x", "INSERT INTO item VALUES (@a, @b) RETURNING id, name",
        "UPDATE item SET name = @b WHERE id = @a", "DELETE FROM item WHERE id = @a RETURNING *", "SELECT id, name FROM item WHERE id >= @a ORDER BY id",
        "SELECT @a::text AS x, @c::text AS y",
    ];

    private static readonly string[] Positional =
        ["SELECT $1 AS x", "SELECT $2 AS x, pg_typeof($1)::text AS t", "SELECT $1::text || $2::text AS x", "SELECT $2 - $1 AS x", "SELECT $1 = ANY ($2) AS x"];

    private static readonly object[] Values =
    [
        0, 1, 2, 3, 4, 5, 6, 7, 2L, (short)3, 1.5m, 2.5, true, "x", "7", "two words", Guid.Empty, new[] { 1, 2 }, new[] { "x", "7" },
        new DateTime(2020, 1, 2, 3, 4, 5, DateTimeKind.Utc), new DateTime(2020, 1, 2), new DateOnly(2020, 1, 2), DBNull.Value, DBNull.Value,
    ];

    private static readonly PgDbType[] Types =
        [PgDbType.Integer, PgDbType.Bigint, PgDbType.Smallint, PgDbType.Text, PgDbType.Varchar, PgDbType.Numeric, PgDbType.Timestamp, PgDbType.Unknown];

    private readonly Random _random;
    private readonly List<CommandPart> _parts = [];

    public ReusedBatch(PgConnection connection, int seed)
    {
        _random = new Random(seed);
        Batch = new PgBatch(connection);
        for (var i = _random.Next(1, 4); i > 0; i--)
            AddCommand();
    }

    /// <summary>The one that is executed again and again.</summary>
    public PgBatch Batch { get; }

    /// <summary>Whether a parameter is NULL and has no type.</summary>
    public bool HasUntypedNull => _parts.Exists(static part => part.Parameters.Exists(static parameter => parameter is { Value: DBNull, Type: null or PgDbType.Unknown }));

    /// <summary>An equal batch that has never run.</summary>
    public PgBatch Fresh(PgConnection connection)
    {
        var batch = new PgBatch(connection) { EnableErrorBarriers = Batch.EnableErrorBarriers };
        foreach (var part in _parts)
        {
            var command = new PgBatchCommand(part.Text);
            foreach (var parameter in part.Parameters)
                command.Parameters.Add(parameter.Make());
            batch.BatchCommands.Add(command);
        }
        return batch;
    }

    /// <summary>Changes something, or several things, or nothing.</summary>
    public void Change()
    {
        for (var i = _random.Next(4); i > 0; i--)
            ChangeOne();
    }

    public override string ToString()
    {
        var text = new StringBuilder(Batch.EnableErrorBarriers ? "error barriers; " : "");
        foreach (var part in _parts)
            text.Append(CultureInfo.InvariantCulture, $"{part.Text} with {string.Join(", ", part.Parameters)}; ");
        return text.ToString();
    }

    private void ChangeOne()
    {
        var at = _random.Next(_parts.Count);
        switch (_random.Next(8))
        {
            case 0 when _parts.Count < 5:
                AddCommand();
                break;
            case 1 when _parts.Count > 1:
                _parts.RemoveAt(at);
                Batch.BatchCommands.RemoveAt(at);
                break;
            case 2:
                MoveToEnd(at);
                break;
            case 3:
                _parts[at].Text = Batch.BatchCommands[at].CommandText = Pick(_parts[at].Texts);
                break;
            case 4 when _random.Next(3) == 0:
                Batch.EnableErrorBarriers = !Batch.EnableErrorBarriers;
                break;
            default:
                ChangeParameters(_parts[at], Batch.BatchCommands[at].Parameters);
                break;
        }
    }

    private void AddCommand()
    {
        var part = new CommandPart { Texts = _random.Next(3) == 0 ? Positional : Named };
        part.Text = Pick(part.Texts);
        var command = new PgBatchCommand(part.Text);
        _parts.Add(part);
        Batch.BatchCommands.Add(command);
        foreach (var name in new[] { "a", "b" })
            AddParameter(part.Texts == Positional ? "" : name, part.Parameters, command.Parameters);
    }

    private void MoveToEnd(int at)
    {
        var (part, command) = (_parts[at], Batch.BatchCommands[at]);
        _parts.RemoveAt(at);
        Batch.BatchCommands.RemoveAt(at);
        _parts.Add(part);
        Batch.BatchCommands.Add(command);
    }

    private void AddParameter(string name, List<ParameterPart> parts, PgParameterCollection parameters)
    {
        // Two of one name are refused.
        if (name.Length > 0 && parts.Exists(other => other.Name == name))
            return;
        parts.Add(new ParameterPart(name, Pick(Values), null, _random.Next(4) == 0));
        parameters.Add(parts[^1].Make());
    }

    private void ChangeParameters(CommandPart part, PgParameterCollection parameters)
    {
        var parts = part.Parameters;
        // Sooner or later a missing one comes back.
        if (parts.Count < 2 || _random.Next(10) == 0)
        {
            AddParameter(part.Texts == Positional ? "" : Pick("a", "b", "c"), parts, parameters);
            return;
        }
        var at = _random.Next(parts.Count);
        switch (_random.Next(1, 14))
        {
            case 1:
                parts.RemoveAt(at);
                parameters.RemoveAt(at);
                break;
            case 2:
                MoveToEnd(at, parts, parameters);
                break;
            case 3:
                parts[at] = parts[at] with { Type = Pick(Types), IsGeneric = false };
                parameters[at] = parts[at].Make();
                break;
            case 4 when !parts[at].IsGeneric:
                parts[at] = parts[at] with { Type = Pick(Types) };
                parameters[at].PgDbType = parts[at].Type!.Value;
                break;
            case 5 when !parts[at].IsGeneric:
                parts[at] = parts[at] with { Type = null };
                parameters[at].ResetDbType();
                break;
            default:
                ChangeValue(at, parts, parameters);
                break;
        }
    }

    private void ChangeValue(int at, List<ParameterPart> parts, PgParameterCollection parameters)
    {
        parts[at] = parts[at] with { Value = Pick(Values) };
        // A generic parameter has a type of .NET for good.
        if (parts[at].IsGeneric)
            parameters[at] = parts[at].Make();
        else
            parameters[at].Value = parts[at].Value;
    }

    private static void MoveToEnd(int at, List<ParameterPart> parts, PgParameterCollection parameters)
    {
        var (part, parameter) = (parts[at], parameters[at]);
        parts.RemoveAt(at);
        parameters.RemoveAt(at);
        parts.Add(part);
        parameters.Add(parameter);
    }

    private T Pick<T>(params T[] among) => among[_random.Next(among.Length)];

    private sealed class CommandPart
    {
        public required string[] Texts { get; init; }

        public string Text { get; set; } = "";

        public List<ParameterPart> Parameters { get; } = [];
    }

    private sealed record ParameterPart(string Name, object Value, PgDbType? Type, bool IsGeneric)
    {
        public PgParameter Make()
        {
            var parameter = !IsGeneric ? new PgParameter() : Value switch
            {
                int => new PgParameter<int>(),
                string => new PgParameter<string>(),
                _ => new PgParameter<object>(),
            };
            parameter.ParameterName = Name;
            parameter.Value = Value;
            if (Type is { } type)
                parameter.PgDbType = type;
            return parameter;
        }

        public override string ToString() => $"{Name}{(IsGeneric ? "<T>" : "")} = {(Value is Array array ? $"[{string.Join(", ", array.Cast<object>())}]" : Value)}"
            + $" ({Value.GetType().Name}{(Type is null ? "" : ", " + Type)})";
    }
}
