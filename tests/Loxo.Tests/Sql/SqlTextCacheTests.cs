using Loxo.Sql;

namespace Loxo.Tests.Sql;

public class SqlTextCacheTests
{
    [Test]
    public void A_text_is_lexed_once()
    {
        var cache = new SqlTextCache();

        var first = cache.Get("SELECT @x", standardConformingStrings: true);

        Assert.That(cache.Get("SELECT @x", standardConformingStrings: true), Is.SameAs(first));
        Assert.That(cache.Get(Copy("SELECT @x"), standardConformingStrings: true), Is.SameAs(first));
    }

    [Test]
    public void Each_setting_has_its_own()
    {
        const string Text = "SELECT 'a\\'; SELECT '@x'";
        var cache = new SqlTextCache();

        Assert.That(cache.Get(Text, standardConformingStrings: true).Statements.Length, Is.EqualTo(2));
        Assert.That(cache.Get(Text, standardConformingStrings: false).Statements.Length, Is.EqualTo(1));
        Assert.That(cache.Get(Text, standardConformingStrings: true, splitAndReplace: false).Statements[0].Sql, Is.SameAs(Text));
        Assert.That(cache.Get(Text, standardConformingStrings: true), Is.SameAs(cache.Get(Text, standardConformingStrings: true)));
    }

    [TestCase("SELECT @x", true)]
    [TestCase("SELECT $1", false)]
    public void Finding_a_text_allocates_nothing(string text, bool splitAndReplace)
    {
        var cache = new SqlTextCache();
        var copy = Copy(text);
        cache.Get(text, true, splitAndReplace);
        cache.Get(text, true, splitAndReplace);
        cache.Get(copy, true, splitAndReplace);
        var before = GC.GetAllocatedBytesForCurrentThread();

        cache.Get(text, true, splitAndReplace);
        cache.Get(copy, true, splitAndReplace);

        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.Zero);
    }

    [Test]
    public void The_number_of_texts_is_bounded()
    {
        var cache = new SqlTextCache(maxTexts: 10);

        Assert.That(Kept(1000, i => cache.Get($"SELECT {i}", i % 2 == 0)), Is.EqualTo(10));
    }

    [Test]
    public void The_number_of_characters_is_bounded()
    {
        var cache = new SqlTextCache(maxTexts: 1000, maxCharacters: 1000);

        Assert.That(Kept(100, i => cache.Get($"SELECT {i:D93}", true)), Is.EqualTo(10));
    }

    [Test]
    public void Rewritten_texts_count_for_what_they_keep()
    {
        var cache = new SqlTextCache(maxTexts: 1000, maxCharacters: 1000);

        // The text, the source, all names replaced, some replaced.
        Assert.That(Kept(100, i => cache.Get($"SELECT @x{i:D91}", true)), Is.EqualTo(2));
    }

    [Test]
    public void A_text_beyond_the_size_limit_is_not_kept()
    {
        var cache = new SqlTextCache();
        var longest = new string(' ', SqlTextCache.LongestText);

        Assert.That(Kept(1, _ => cache.Get(longest + ' ', true)), Is.Zero);
        Assert.That(Kept(1, _ => cache.Get(longest, true)), Is.EqualTo(1));
    }

    [Test]
    public void A_text_too_long_for_a_small_cache_leaves_it_working()
    {
        var cache = new SqlTextCache(maxTexts: 10, maxCharacters: 100);
        cache.Get("SELECT 1", true);

        var text = $"SELECT '{new string('x', 200)}'";

        Assert.That(cache.Get(text, true).Statements.Length, Is.EqualTo(1));
        Assert.That(Kept(1, _ => cache.Get(text, true)), Is.Zero);
        Assert.That(Kept(1, _ => cache.Get("SELECT 1", true)), Is.EqualTo(1));
    }

    [Test]
    public void Texts_in_use_outlive_a_stream_of_others()
    {
        var cache = new SqlTextCache(maxTexts: 20);
        string[] inUse = [.. Enumerable.Range(0, 10).Select(i => $"SELECT @used{i}")];
        var first = Array.ConvertAll(inUse, text => cache.Get(text, true));

        for (var i = 0; i < 500; i++)
        {
            cache.Get($"SELECT {i}", true);
            cache.Get(inUse[i % 10], true);
        }

        Assert.That(Array.ConvertAll(inUse, text => cache.Get(text, true)), Is.EqualTo(first).Using<SqlText>(ReferenceEquals));
    }

    [Test]
    public void As_many_texts_as_fit_are_never_lexed_again()
    {
        var cache = new SqlTextCache(maxTexts: 100);
        string[] texts = [.. Enumerable.Range(0, 100).Select(i => $"SELECT {i}")];
        var first = Array.ConvertAll(texts, text => cache.Get(text, true));

        for (var round = 0; round < 5; round++)
            Assert.That(Array.ConvertAll(texts, text => cache.Get(Copy(text), true)), Is.EqualTo(first).Using<SqlText>(ReferenceEquals));
    }

    [Test]
    public void An_evicted_text_is_lexed_again()
    {
        const string Text = "SELECT @evicted";
        var cache = new SqlTextCache(maxTexts: 1);
        var first = cache.Get(Text, true);

        cache.Get("SELECT 1", true);
        cache.Get("SELECT 2", true);

        Assert.That(cache.Get(Text, true), Is.Not.SameAs(first));
        Assert.That(cache.Get(Text, true).Statements[0].Sql, Is.EqualTo("SELECT $1"));
    }

    [Test]
    public void Threads_get_what_they_asked_for()
    {
        var cache = new SqlTextCache(maxTexts: 16);
        string[] texts = [.. Enumerable.Range(0, 40).Select(i => $"SELECT {i}, 'a\\'; SELECT @x{i}")];

        Parallel.For(0, 4, new ParallelOptions { MaxDegreeOfParallelism = 4 }, seed =>
        {
            var random = new Random(seed);
            for (var i = 0; i < 2000; i++)
            {
                var text = texts[random.Next(texts.Length)];
                var conforming = random.Next(2) == 0;
                var lexed = cache.Get(random.Next(2) == 0 ? text : Copy(text), conforming);
                if (lexed.Text != text || lexed.Statements.Length != (conforming ? 2 : 1))
                    Assert.Fail($"Asked for {text}, got {lexed.Text} with {lexed.Statements.Length} statements.");
            }
        });

        Assert.That(Kept(40, i => cache.Get($"SELECT {i} AS other", true)), Is.EqualTo(16));
    }

    private static string Copy(string text) => new(text.AsSpan());

    // Asks for texts, and then again from the newest on, since a text that is not found pushes out another one.
    private static int Kept(int count, Func<int, SqlText> get)
    {
        var first = Enumerable.Range(0, count).Select(get).ToArray();
        return Enumerable.Range(0, count).Reverse().Count(i => ReferenceEquals(get(i), first[i]));
    }
}
