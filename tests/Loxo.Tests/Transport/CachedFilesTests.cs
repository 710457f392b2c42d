using Loxo.Tests.ConnectionStrings;
using Loxo.Tests.Wire;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

public sealed class CachedFilesTests
{
    private readonly SimulatedTime _time = new();
    private int _reads;

    [SetUp]
    public void Begin() => _reads = 0;

    [Test]
    public void Files_are_read_once()
    {
        using var file = new TemporaryFile("a");
        var cached = Cached(file.Path);

        for (var i = 0; i < 5; i++)
        {
            Assert.That(cached.Get(), Is.EqualTo("a"));
            _time.Advance(TimeSpan.FromMinutes(2));
        }

        Assert.That(_reads, Is.EqualTo(1));
    }

    [Test]
    public void A_change_counts_after_a_minute_at_most()
    {
        using var file = new TemporaryFile("a");
        var cached = Cached(file.Path);
        cached.Get();
        File.WriteAllText(file.Path, "other");

        _time.Advance(TimeSpan.FromSeconds(59));
        Assert.That(cached.Get(), Is.EqualTo("a"));
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.That(cached.Get(), Is.EqualTo("other"));
        Assert.That(_reads, Is.EqualTo(2));
    }

    [Test]
    public void A_file_with_an_older_time_is_a_change_too()
    {
        using var file = new TemporaryFile("a");
        var cached = Cached(file.Path);
        cached.Get();
        File.WriteAllText(file.Path, "b");
        File.SetLastWriteTimeUtc(file.Path, DateTime.UtcNow.AddDays(-1));
        _time.Advance(TimeSpan.FromMinutes(1));

        Assert.That(cached.Get(), Is.EqualTo("b"));
    }

    [Test]
    public void What_was_read_holds_while_the_files_cannot_be_read()
    {
        using var file = new TemporaryFile("a");
        var cached = Cached(file.Path);
        cached.Get();
        File.WriteAllText(file.Path, "bad");
        _time.Advance(TimeSpan.FromMinutes(1));
        Assert.That(cached.Get(), Is.EqualTo("a"));
        File.Delete(file.Path);
        _time.Advance(TimeSpan.FromMinutes(1));
        Assert.That(cached.Get(), Is.EqualTo("a"));
        File.WriteAllText(file.Path, "good");
        _time.Advance(TimeSpan.FromMinutes(1));

        Assert.That(cached.Get(), Is.EqualTo("good"));
    }

    [Test]
    public void What_could_never_be_read_is_tried_each_time()
    {
        using var file = new TemporaryFile("bad");
        var cached = Cached(file.Path);

        Assert.That(cached.Get, Throws.TypeOf<PgException>());
        Assert.That(cached.Get, Throws.TypeOf<PgException>());
        Assert.That(_reads, Is.EqualTo(2));
    }

    private CachedFiles<string> Cached(string path) => new(() => [path], () =>
    {
        _reads++;
        return File.ReadAllText(path) is var text and not "bad" ? text : throw new PgException("bad");
    }, _time);
}
