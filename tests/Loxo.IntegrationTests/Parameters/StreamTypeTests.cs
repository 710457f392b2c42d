using System.Buffers;

namespace Loxo.IntegrationTests.Parameters;

/// <summary>Which PostgreSQL types take a stream: those whose value is bytes or text, and no other.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class StreamTypeTests(WaitMode mode) : DatabaseTest(mode)
{
    [TestCase(PgDbType.Bytea, "\\x5b315d")]
    [TestCase(PgDbType.Text, "[1]")]
    [TestCase(PgDbType.Varchar, "[1]")]
    [TestCase(PgDbType.Name, "[1]")]
    [TestCase(PgDbType.Xml, "[1]")]
    [TestCase(PgDbType.Json, "[1]")]
    [TestCase(PgDbType.Jsonb, "[1]")]
    public async Task A_stream_is_the_bytes_or_the_text_of_a_value(PgDbType type, string text)
    {
        Assert.That(await Scalar<string>("SELECT $1::text", new PgParameter { Value = Stream(), PgDbType = type }), Is.EqualTo(text));
        Assert.That(await Scalar<string>("SELECT $1::text", new PgParameter<Stream>(Stream()) { PgDbType = type }), Is.EqualTo(text));
    }

    // As binary the two bytes of "34" would be the smallint 13108.
    [TestCase("smallint")]
    [TestCase("integer")]
    [TestCase("double precision")]
    [TestCase("numeric")]
    [TestCase("uuid")]
    [TestCase("timestamp")]
    [TestCase("boolean")]
    [TestCase("inet")]
    [TestCase("point")]
    [TestCase("interval")]
    [TestCase("int4range")]
    [TestCase("smallint[]")]
    [TestCase("text[]")]
    [TestCase("bytea[]")]
    public async Task Any_other_type_refuses_a_stream(string type)
    {
        foreach (var parameter in new PgParameter[] { new() { Value = Stream() }, new PgParameter<Stream>(Stream()), new PgParameter<object>(Stream()), new() { Value = Large() }, new PgParameter<ReadOnlySequence<byte>>(Large()) })
        {
            parameter.DataTypeName = type;
            var error = await Catch<InvalidCastException>(() => Execute("SELECT $1", parameter));
            Assert.That(error.Message, Does.Contain("cannot be written as PostgreSQL type"));
        }
        await AssertUsable();
    }

    private static MemoryStream Stream() => new("[1]"u8.ToArray());

    // Longer than what is copied: it is sent from where it lies, as a stream is.
    private static ReadOnlySequence<byte> Large() => new(new byte[100_000]);
}
