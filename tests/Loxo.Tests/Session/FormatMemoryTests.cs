using System.Globalization;
using Loxo.Protocol;
using Loxo.Session;

namespace Loxo.Tests.Session;

public class FormatMemoryTests
{
    private static readonly FormatCode[] TextThenBinary = [FormatCode.Text, FormatCode.Binary];

    private readonly FormatMemory _memory = new();

    [SetUp]
    public void Remember() => _memory.Keep("SELECT $1, 1", [25], TextThenBinary);

    [Test]
    public void What_was_kept_is_found_by_text_and_types()
    {
        Assert.That(_memory.Find(string.Concat("SELECT ", "$1, 1"), [25]), Is.EqualTo(TextThenBinary));
        Assert.That(_memory.Find("SELECT $1, 1", [23]), Is.Empty);
        Assert.That(_memory.Find("SELECT $1, 1", []), Is.Empty);
        Assert.That(_memory.Find("SELECT 2", [25]), Is.Empty);
    }

    [Test]
    public void Nothing_to_remember_forgets()
    {
        _memory.Keep("SELECT $1, 1", [25], []);

        Assert.That(_memory.Find("SELECT $1, 1", [25]), Is.Empty);
    }

    [Test]
    public void It_does_not_grow_without_end()
    {
        var kept = 0;
        for (var i = 0; i < 5000; i++)
            _memory.Keep("SELECT " + i.ToString(CultureInfo.InvariantCulture), [], TextThenBinary);
        for (var i = 0; i < 5000; i++)
            kept += _memory.Find("SELECT " + i.ToString(CultureInfo.InvariantCulture), []).Length > 0 ? 1 : 0;
        _memory.Keep(new string('x', 1_000_000), [], TextThenBinary);

        Assert.That(kept, Is.GreaterThan(0).And.LessThanOrEqualTo(1000));
        Assert.That(_memory.Find(new string('x', 1_000_000), []), Is.Empty);
    }
}
