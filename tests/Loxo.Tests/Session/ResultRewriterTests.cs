using System.Text;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Session;
using Loxo.Types;

namespace Loxo.Tests.Session;

public class ResultRewriterTests
{
    private const uint Known = 23, Mood = 99_999, Other = 99_998;

    [Test]
    public void Values_of_unknown_types_are_collected_once_each()
    {
        var (kept, shape) = Kept([Row([0, 0, 0, 1], "ok"u8, "ok"u8), Row([0, 0, 0, 2], "ok"u8, null), Row([0, 0, 0, 3], "sad"u8, "ok"u8), Complete()], Known, Mood, Other);

        Assert.That(kept.Collect(shape).Select(value => (value.TypeOid, Encoding.UTF8.GetString(value.Bytes.Span))),
            Is.EqualTo(new[] { (Mood, "ok"), (Other, "ok"), (Mood, "sad") }));
    }

    [Test]
    public void Types_that_are_not_known_are_found_in_columns_of_every_result_and_in_records()
    {
        byte[] record = [0, 0, 0, 2, 0, 0, 0, 23, 0, 0, 0, 4, 0, 0, 0, 1, 0, 1, 134, 158, 255, 255, 255, 255];
        var (kept, shape) = Kept([Row(record), Complete(), Description(FormatCode.Binary, Known, Mood), Complete()], TypeEntry.RecordOid);

        Assert.That(kept.UnknownTypes(shape), Is.EquivalentTo(new[] { Other, Mood }));
    }

    [Test]
    public void Rows_get_the_texts_and_everything_else_stays()
    {
        var notice = Message('N', 0);
        var (kept, shape) = Kept([Row([0, 0, 0, 1], "ok"u8, null), notice, Row([0, 0, 0, 2], null, "b"u8), Complete()], Known, Mood, Other);
        kept.Collect(shape);

        var rewritten = kept.Rewrite(shape, ["a longer text"u8.ToArray(), []]);

        Assert.That(rewritten.ToArray(), Is.EqualTo(Join([Row([0, 0, 0, 1], "a longer text"u8, null), notice, Row([0, 0, 0, 2], null, ""u8), Complete()])));
    }

    [Test]
    public void Later_results_are_rewritten_with_their_descriptions()
    {
        var (kept, shape) = Kept(
            [Row("x"u8), Complete(), Description(FormatCode.Binary, Known, Mood), Row([0, 0, 0, 1], "x"u8), Complete(), Description(FormatCode.Binary, Known), Row([0, 0, 0, 5]), Complete()],
            Mood);

        Assert.That(kept.Collect(shape), Has.Count.EqualTo(1));
        var rewritten = kept.Rewrite(shape, ["X"u8.ToArray()]).ToArray();

        var second = Description(FormatCode.Binary, Known, Mood);
        second[^1] = (byte)FormatCode.Text;
        Assert.That(rewritten, Is.EqualTo(Join(
            [Row("X"u8), Complete(), second, Row([0, 0, 0, 1], "X"u8), Complete(), Description(FormatCode.Binary, Known), Row([0, 0, 0, 5]), Complete()])));
    }

    [Test]
    public void Rows_of_a_statement_that_was_described_earlier_are_left_alone()
    {
        var messages = Join([Complete(), Row("x"u8), Complete()]);
        var kept = new ResultRewriter(messages, NoChannel.Session().Types);
        var shape = Shape(Mood);

        Assert.That(kept.Collect(shape), Is.Empty);
        Assert.That(kept.Rewrite(shape, []).ToArray(), Is.EqualTo(messages));
    }

    private static (ResultRewriter, ResultShape) Kept(byte[][] messages, params uint[] types) => (new(Join(messages), NoChannel.Session().Types), Shape(types));

    private static ResultShape Shape(params uint[] types) => ResultShape.Read(
        new RowDescription(Description(FormatCode.Binary, types).AsSpan(BackendMessage.HeaderSize)), DatabaseTypes.Make(TypeSettings.Default, TypeMappings.None), ofStatement: false);

    private static byte[] Description(FormatCode format, params uint[] types)
    {
        var body = new MessageWriter();
        body.WriteCount(types.Length);
        foreach (var type in types)
        {
            body.WriteCString("column");
            body.WriteInt32(0);
            body.WriteInt16(0);
            body.WriteUInt32(type);
            body.WriteInt16(4);
            body.WriteInt32(-1);
            body.WriteInt16((short)format);
        }
        return Message('T', body.Pending.ToArray());
    }

    private static byte[] Row(ReadOnlySpan<byte> only) => Row([only.ToArray()]);

    private static byte[] Row(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second) => Row([first.ToArray(), second.ToArray()]);

    // A span cannot be null, so NULL is the default one; "" is not.
    private static byte[] Row(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, ReadOnlySpan<byte> third) => Row([first.ToArray(), OrNull(second), OrNull(third)]);

    private static byte[]? OrNull(ReadOnlySpan<byte> value) => value == default ? null : value.ToArray();

    private static byte[] Row(byte[]?[] values)
    {
        var body = new MessageWriter();
        body.WriteCount(values.Length);
        foreach (var value in values)
        {
            body.WriteInt32(value?.Length ?? -1);
            body.WriteBytes(value);
        }
        return Message('D', body.Pending.ToArray());
    }

    private static byte[] Complete() => Message('C', "SELECT 1\0"u8.ToArray());

    private static byte[] Message(char type, params byte[] body)
    {
        var message = new MessageWriter();
        message.WriteByte((byte)type);
        message.WriteInt32(body.Length + 4);
        message.WriteBytes(body);
        return message.Pending.ToArray();
    }

    private static byte[] Join(byte[][] messages) => [.. messages.SelectMany(message => message)];
}
