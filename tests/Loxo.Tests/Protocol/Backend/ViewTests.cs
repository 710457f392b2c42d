using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Tests.Protocol.Backend;

/// <summary>The views over messages of the server: golden bodies, each of their prefixes, and bytes that are nothing.</summary>
public sealed class ViewTests
{
    private static readonly byte[] _error = Golden.Bytes(
        'S', "FEHLER", 'V', "ERROR", 'C', "23505", 'M', "duplicate", 'D', "detail", 'H', "hint", 'P', "12", 'p', "3", 'q', "SELECT", 'W', "where",
        's', "public", 't', "orders", 'c', "id", 'd', "int4", 'n', "orders_pkey", 'F', "nbtinsert.c", 'L', "664", 'R', "_bt_check_unique",
        '?', "a field of the future", (byte)0);

    private static readonly byte[] _rowDescription = Golden.Bytes(
        (short)2, "id", 16384, (short)1, 23, (short)4, -1, (short)1, "name", 0, (short)0, 1043, (short)-1, 104, (short)0);

    private static readonly (string Name, byte[] Body, Action<byte[]> Read)[] _views =
    [
        ("ErrorResponse", _error, body => new ErrorOrNotice(body).ToFields()),
        ("RowDescription", _rowDescription, ReadColumns),
        ("ReadyForQuery", [(byte)'I'], body => _ = new ReadyForQuery(body).Status),
        ("BackendKeyData", Golden.Bytes(4711, 5), body => _ = new BackendKeyData(body).SecretKey),
        ("ParameterStatus", Golden.Bytes("TimeZone", "UTC"), body => _ = new ParameterStatus(body).Value),
        ("ParameterDescription", Golden.Bytes((short)2, 23, 1009), body => _ = new ParameterDescription(body).Types),
        ("NotificationResponse", Golden.Bytes(7, "news", "extra"), body => _ = new NotificationResponse(body).Payload),
        ("CommandComplete", Golden.Bytes("INSERT 0 5"), body => _ = new CommandComplete(body).Rows + (ulong)new CommandComplete(body).Type + new CommandComplete(body).InsertedOid),
    ];

    private static IEnumerable<TestCaseData> Views => _views.Select(view => new TestCaseData(view.Body, view.Read).SetArgDisplayNames(view.Name));

    [Test]
    public void ErrorResponse_has_every_field()
    {
        var fields = new ErrorOrNotice(_error).ToFields();
        Assert.That(
            new object?[]
            {
                fields.Severity, fields.InvariantSeverity, fields.SqlState, fields.MessageText, fields.Detail, fields.Hint, fields.Position,
                fields.InternalPosition, fields.InternalQuery, fields.Where, fields.SchemaName, fields.TableName, fields.ColumnName,
                fields.DataTypeName, fields.ConstraintName, fields.File, fields.Line, fields.Routine,
            },
            Is.EqualTo(new object?[]
            {
                "FEHLER", "ERROR", "23505", "duplicate", "detail", "hint", 12, 3, "SELECT", "where", "public", "orders", "id", "int4",
                "orders_pkey", "nbtinsert.c", "664", "_bt_check_unique",
            }));
    }

    [Test]
    public void An_error_of_a_pooler_which_has_only_one_severity_is_as_fatal_as_it_says()
    {
        var fields = new ErrorOrNotice(Golden.Bytes('S', "FATAL", 'C', "08P01", 'M', "server conn crashed?", (byte)0)).ToFields();
        Assert.That(fields.InvariantSeverity, Is.EqualTo("FATAL"));
    }

    [Test]
    public void ErrorResponse_in_another_encoding_is_read_as_well_as_it_goes()
    {
        var fields = new ErrorOrNotice(Golden.Bytes('M', Encoding.Latin1.GetBytes("gr\u00fcn"), (byte)0, 'P', "no number", (byte)0)).ToFields();
        Assert.That((fields.MessageText, fields.Position), Is.EqualTo(("gr\ufffdn", 0)));
    }

    [Test]
    public void RowDescription_has_every_field()
    {
        var description = new RowDescription(_rowDescription);
        Assert.That(description.Count, Is.EqualTo(2));
        Assert.That(description.TryReadNext(out var id), Is.True);
        Assert.That((id.Name, id.TableOid, id.AttributeNumber, id.TypeOid, id.TypeSize, id.TypeModifier, id.Format),
            Is.EqualTo(("id", 16384u, (short)1, 23u, (short)4, -1, FormatCode.Binary)));
        Assert.That(description.TryReadNext(out var name), Is.True);
        Assert.That((name.Name, name.TableOid, name.TypeOid, name.TypeSize, name.TypeModifier, name.Format),
            Is.EqualTo(("name", 0u, 1043u, (short)-1, 104, FormatCode.Text)));
        Assert.That(description.TryReadNext(out _), Is.False);
    }

    [TestCase('I', nameof(TransactionStatus.Idle))]
    [TestCase('T', nameof(TransactionStatus.InTransaction))]
    [TestCase('E', nameof(TransactionStatus.Failed))]
    public void ReadyForQuery_has_a_status(char status, string expected) =>
        Assert.That(new ReadyForQuery([(byte)status]).Status.ToString(), Is.EqualTo(expected));

    [TestCase("SELECT 5", StatementType.Select, 5ul)]
    [TestCase("INSERT 0 18446744073709551615", StatementType.Insert, ulong.MaxValue)]
    [TestCase("UPDATE 0", StatementType.Update, 0ul)]
    [TestCase("DELETE 3", StatementType.Delete, 3ul)]
    [TestCase("MERGE 2", StatementType.Merge, 2ul)]
    [TestCase("COPY 7", StatementType.Copy, 7ul)]
    [TestCase("MOVE 1", StatementType.Move, 1ul)]
    [TestCase("FETCH 1", StatementType.Fetch, 1ul)]
    [TestCase("CALL", StatementType.Call, 0ul)]
    [TestCase("CREATE TABLE AS", StatementType.CreateTableAs, 0ul)]
    [TestCase("CREATE TABLE", StatementType.Other, 0ul)]
    [TestCase("BEGIN", StatementType.Other, 0ul)]
    [TestCase("", StatementType.Other, 0ul)]
    [TestCase("SELECT 99999999999999999999999", StatementType.Select, 0ul)]
    public void CommandComplete_has_a_type_and_rows(string tag, StatementType type, ulong rows)
    {
        var complete = new CommandComplete(Golden.Bytes(tag));
        Assert.That((complete.Type, complete.Rows), Is.EqualTo((type, rows)));
    }

    [Test]
    public void CommandComplete_has_an_object_id() => Assert.That(new CommandComplete(Golden.Bytes("INSERT 4711 1")).InsertedOid, Is.EqualTo(4711));

    [Test]
    public void ParameterDescription_has_the_types() =>
        Assert.That(new ParameterDescription(Golden.Bytes((short)2, 23, 1009)).Types, Is.EqualTo(new[] { 23u, 1009u }));

    [Test]
    public void Keys_may_be_longer_than_four_bytes()
    {
        var key = new BackendKeyData(Golden.Bytes(-5, new byte[32]));
        Assert.That((key.ProcessId, key.SecretKey.Length), Is.EqualTo((-5, 32)));
    }

    [TestCaseSource(nameof(Views))]
    public void A_body_that_ends_early_is_a_protocol_violation_or_less_text_but_never_another_error(byte[] body, object read)
    {
        for (var length = 0; length <= body.Length; length++)
            ReadAnything((Action<byte[]>)read, body[..length]);
    }

    [TestCaseSource(nameof(Views))]
    public void Bytes_that_are_nothing_are_a_protocol_violation_or_values_but_never_another_error(byte[] body, object read) =>
        Prop.ForAll<byte[]>(bytes =>
        {
            ReadAnything((Action<byte[]>)read, bytes);
            ReadAnything((Action<byte[]>)read, [.. body[..(body.Length / 2)], .. bytes]);
        }).QuickCheckThrowOnFailure();

    private static void ReadAnything(Action<byte[]> read, byte[] body)
    {
        try
        {
            read(body);
        }
        catch (PgException e)
        {
            Assert.That(e.Code, Is.EqualTo(PgErrorCode.ProtocolViolation));
        }
    }

    private static void ReadColumns(byte[] body)
    {
        var description = new RowDescription(body);
        while (description.TryReadNext(out _))
        {
        }
    }
}
