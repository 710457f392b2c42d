using System.Data.Common;
using Loxo.Session;

namespace Loxo.Copy;

/// <summary>
/// The rows of a reader, which stays open. Values of the usual types are not boxed. Those of a <see cref="PgDataReader"/> whose type is
/// the target's are passed on as bytes: whole rows where the columns are the target's in the same order.
/// </summary>
internal sealed class ReaderSource : BulkSource
{
    private readonly DbDataReader _reader;
    private readonly PgDataReader? _own;
    private readonly Action<ImportWriter, DbDataReader, int>[] _writers;
    // What follows holds for these.
    private ImportWriter? _writer;
    private ResultShape? _shape;
    // For each column of the target, whether its values are passed on.
    private bool[] _passesOn = [];
    private bool _passesRowsOn;

    public ReaderSource(DbDataReader reader)
    {
        ArgumentNullException.ThrowIfNull(reader);
        _reader = reader;
        _own = reader as PgDataReader;
        var names = new string[reader.FieldCount];
        _writers = new Action<ImportWriter, DbDataReader, int>[names.Length];
        for (var i = 0; i < names.Length; i++)
        {
            names[i] = reader.GetName(i);
            _writers[i] = WriterFor(reader.GetFieldType(i));
        }
        Names = names;
    }

    public override IReadOnlyList<string> Names { get; }

    public override bool Next() => _reader.Read();

    public override ValueTask<bool> NextAsync(CancellationToken token) => new(_reader.ReadAsync(token));

    public override void Write(ImportWriter writer, int[] ordinals)
    {
        if (_own is not null)
        {
            if (_writer != writer || _shape != _own.Shape)
                Match(_own, writer, ordinals);
            if (_passesRowsOn && _own.TryGetBytes(out var row) && writer.TryWriteBinaryRow(row))
                return;
        }
        for (var i = 0; i < ordinals.Length; i++)
        {
            var ordinal = ordinals[i];
            if (_own is not null && _passesOn[i] && _own.TryGetBytes(ordinal, out var value))
                writer.WriteBinary(value);
            else if (_reader.IsDBNull(ordinal))
                writer.Write(DBNull.Value);
            else
                _writers[ordinal](writer, _reader, ordinal);
        }
    }

    // A new batch asks for the table's columns anew.
    private void Match(PgDataReader reader, ImportWriter writer, int[] ordinals)
    {
        (_writer, _shape) = (writer, reader.Shape);
        _passesOn = [.. ordinals.Select((ordinal, i) => writer.PassesOn(reader, ordinal, i))];
        _passesRowsOn = ordinals.Length == reader.FieldCount && ordinals.Length == writer.Count
            && !ordinals.Where((ordinal, i) => ordinal != i || !_passesOn[i]).Any();
    }

    private static Action<ImportWriter, DbDataReader, int> WriterFor(Type type) => Type.GetTypeCode(type) switch
    {
        _ when type.IsEnum => Boxed,
        TypeCode.Boolean => static (writer, reader, i) => writer.Write(reader.GetBoolean(i)),
        TypeCode.Int16 => static (writer, reader, i) => writer.Write(reader.GetInt16(i)),
        TypeCode.Int32 => static (writer, reader, i) => writer.Write(reader.GetInt32(i)),
        TypeCode.Int64 => static (writer, reader, i) => writer.Write(reader.GetInt64(i)),
        TypeCode.Single => static (writer, reader, i) => writer.Write(reader.GetFloat(i)),
        TypeCode.Double => static (writer, reader, i) => writer.Write(reader.GetDouble(i)),
        TypeCode.Decimal => static (writer, reader, i) => writer.Write(reader.GetDecimal(i)),
        TypeCode.DateTime => static (writer, reader, i) => writer.Write(reader.GetDateTime(i)),
        TypeCode.String => static (writer, reader, i) => writer.Write(reader.GetString(i)),
        _ when type == typeof(Guid) => static (writer, reader, i) => writer.Write(reader.GetGuid(i)),
        _ => Boxed,
    };

    private static void Boxed(ImportWriter writer, DbDataReader reader, int ordinal) => writer.Write(reader.GetValue(ordinal));
}
