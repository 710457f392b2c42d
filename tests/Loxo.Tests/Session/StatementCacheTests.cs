using System.Globalization;
using Loxo.Session;

namespace Loxo.Tests.Session;

public class StatementCacheTests
{
    private const string X = "SELECT x", Y = "SELECT y", Z = "SELECT z";

    // As StatementCache has them: characters of all texts, and of one.
    private const int Budget = 2 * 1024 * 1024, Longest = Budget / 16;

    private StatementCache _cache = Cache(most: 2);

    private long _flight;

    [SetUp]
    public void StartAnew() => (_cache, _flight) = (Cache(most: 2), 0);

    [Test]
    public void A_text_is_prepared_with_its_second_use()
    {
        Assert.That(Use(X), Is.Null);
        Assert.That(_cache.Count, Is.Zero);
        var statement = Use(X);
        Assert.That(statement, Has.Property(nameof(CachedStatement.Sql)).EqualTo(X));
        Assert.That(Use(X), Is.SameAs(statement));
        Assert.That(_cache.Count, Is.EqualTo(1));
    }

    [TestCase(1), TestCase(2), TestCase(7)]
    public void A_text_is_prepared_with_the_use_that_was_asked_for(int uses)
    {
        _cache = Cache(most: 2, minUsages: uses);
        for (var i = 1; i < uses; i++)
            Assert.That(Use(X), Is.Null);
        Assert.That(Use(X), Is.Not.Null);
    }

    [Test]
    public void A_command_that_was_prepared_once_needs_no_second_use() => Assert.That(Use(X, atOnce: true), Is.Not.Null);

    [Test]
    public void With_no_room_at_all_nothing_is_prepared_or_even_remembered()
    {
        _cache = Cache(most: 0, minUsages: 1);
        for (var i = 0; i < 5; i++)
            Assert.That(Use(X, atOnce: true), Is.Null);
    }

    [Test]
    public void The_text_counts_and_not_the_object_that_holds_it()
    {
        var statement = Prepared(X);
        Assert.That(Use(new string(X.AsSpan())), Is.SameAs(statement));
    }

    [Test]
    public void What_was_used_longest_ago_makes_room_and_is_closed_before_the_next_flight()
    {
        var x = Prepared(X);
        var y = Prepared(Y);
        Use(X);
        Prepared(Z);
        Assert.That(_cache.Contains(x), Is.True);
        Assert.That(_cache.Contains(y), Is.False);
        Assert.That(Closes(), Is.EqualTo(new[] { y.Name }));
        Assert.That(Closes(), Is.Empty);
    }

    [Test]
    public void What_the_server_never_parsed_is_not_closed()
    {
        _cache = Cache(most: 1, minUsages: 1);
        Use(X);
        Use(Y);
        Assert.That(Closes(), Is.Empty);
    }

    [Test]
    public void A_Close_that_was_written_and_not_sent_is_written_again()
    {
        _cache = Cache(most: 1);
        var x = Prepared(X);
        Prepared(Y);
        _cache.TakeCloses();
        Assert.That(Closes(), Is.EqualTo(new[] { x.Name }));
    }

    [Test]
    public void A_Close_that_the_server_skipped_is_written_again([Values] bool isAnswered)
    {
        _cache = Cache(most: 1);
        var x = Prepared(X);
        Prepared(Y);
        _cache.TakeCloses();
        _cache.ClosesSent();
        Assert.That(_cache.IsClosing(x.Name), Is.True);
        if (isAnswered)
            _cache.CloseAnswered();
        else
            _cache.ClosesSkipped(1);
        Assert.That(_cache.IsClosing(x.Name), Is.False);
        Assert.That(Closes(), Is.EqualTo(isAnswered ? [] : new[] { x.Name }));
    }

    [Test]
    public void A_name_that_is_used_again_when_its_Close_is_skipped_is_closed_in_front_of_its_Parse()
    {
        _cache = Cache(most: 1);
        Prepared(X);
        Prepared(Y);
        _cache.TakeCloses();
        _cache.ClosesSent();
        _flight++;
        Use(X);
        var again = Use(X);
        Assert.That(again, Has.Property(nameof(CachedStatement.IsOnServer)).False);
        _cache.ClosesSkipped(1);
        Assert.That(again, Has.Property(nameof(CachedStatement.IsOnServer)).True);
        Assert.That(Closes(), Is.EqualTo(new[] { StatementName.Of(Y, []) }));
    }

    [Test]
    public void What_made_room_in_a_flight_and_is_used_in_it_again_is_not_closed_by_the_next()
    {
        _cache = Cache(most: 2, minUsages: 1);
        Prepared(X);
        Prepared(Y);
        _flight++;
        Use(Z, sameFlight: true);
        var again = Use(X, sameFlight: true);
        Assert.That(again, Has.Property(nameof(CachedStatement.IsOnServer)).True, "so that Close goes in front of its Parse");
        Assert.That(Closes(), Is.EqualTo(new[] { StatementName.Of(Y, []) }));
    }

    [Test]
    public void What_a_flight_uses_makes_no_room_in_it()
    {
        _cache = Cache(most: 1, minUsages: 1);
        var x = Use(X);
        Assert.That(Use(Y, sameFlight: true), Is.Null);
        Assert.That(Use(X, sameFlight: true), Is.SameAs(x));
        Assert.That(Use(Y), Is.Not.Null);
    }

    [Test]
    public void Each_combination_of_types_is_a_statement_of_its_own()
    {
        _cache = Cache(most: 10, minUsages: 1);
        CachedStatement?[] all = [Use(X), Use(X, 23), Use(X, 25), Use(X, 23, 25), Use(X, 25, 23)];
        Assert.That(all, Is.Unique);
        Assert.That(all.Select(statement => statement!.Name), Is.Unique);
        Assert.That(Use(X, 25), Is.SameAs(all[2]));
        _cache.Remove(all[2]!);
        Assert.That(Use(X, 23), Is.SameAs(all[1]));
        Assert.That(Use(X), Is.SameAs(all[0]));
        Assert.That(Use(X, 25, 23), Is.SameAs(all[4]));
        Assert.That(_cache.Contains(all[2]!), Is.False);
    }

    [Test]
    public void What_Prepare_asked_for_never_makes_room_and_takes_none()
    {
        var held = _cache.Hold(X, []);
        Prepared(Y);
        Prepared(Z);
        for (var i = 0; i < 1000; i++)
            Use("SELECT " + i.ToString(CultureInfo.InvariantCulture), atOnce: true);
        Assert.That(_cache.Contains(held), Is.True);
        Assert.That(_cache.Count, Is.EqualTo(3));
        Assert.That(Use(X), Is.SameAs(held));
        Assert.That(_cache.FindExplicit(X, []), Is.SameAs(held));
    }

    [Test]
    public void Prepare_finds_what_was_prepared_by_use_and_keeps_it()
    {
        var x = Prepared(X);
        Assert.That(_cache.FindExplicit(X, []), Is.Null);
        Assert.That(_cache.Hold(X, []), Is.SameAs(x));
        Assert.That(_cache.Hold(X, []), Is.SameAs(x));
        Assert.That(_cache.Count, Is.EqualTo(1));
        Prepared(Y);
        Prepared(Z);
        Assert.That(_cache.Contains(x), Is.True);
    }

    [Test]
    public void What_is_removed_is_closed_and_counted_no_more()
    {
        var x = _cache.Hold(X, []);
        x.Parsed(0);
        var y = Prepared(Y);
        _cache.Remove(x);
        _cache.Remove(x);
        _cache.Remove(y);
        Assert.That(_cache.Count, Is.Zero);
        Assert.That(Closes(), Is.EqualTo(new[] { x.Name, y.Name }));
    }

    [Test]
    public void A_statement_parsed_after_it_was_removed_is_closed()
    {
        var x = Prepared(X);
        _cache.CloseIfRemoved(x);
        Assert.That(Closes(), Is.Empty);
        _cache.Remove(x);
        Closes();
        x.Parsed(0);
        _cache.CloseIfRemoved(x);
        Assert.That(Closes(), Is.EqualTo(new[] { x.Name }));
        Assert.That(x.IsOnServer, Is.False);
    }

    [Test]
    public void What_the_server_forgot_is_not_closed_and_is_parsed_again()
    {
        var x = Prepared(X);
        var typed = Prepared(X, 23);
        Prepared(Y);
        _cache.ServerForgotAll();
        Assert.That(Closes(), Is.Empty);
        Assert.That(typed.IsOnServer, Is.False);
        Assert.That(Use(X, 23), Is.SameAs(typed));
        Assert.That(_cache.Contains(x), Is.False, "it had made room");
    }

    [Test]
    public void Texts_that_are_used_once_push_each_other_out_and_nothing_else()
    {
        var x = Prepared(X);
        Use(Y);
        for (var i = 0; i < 1000; i++)
            Use("SELECT " + i.ToString(CultureInfo.InvariantCulture));
        Assert.That(_cache.Contains(x), Is.True);
        Assert.That(Use(Y), Is.Null, "its first use was forgotten");
        Assert.That(Use("SELECT 999"), Is.Not.Null);
    }

    [Test]
    public void A_text_too_long_is_never_prepared_by_use()
    {
        _cache = Cache(most: 2, minUsages: 1);
        Assert.That(Use(new string('x', Longest)), Is.Not.Null);
        Assert.That(Use(new string('x', Longest + 1)), Is.Null);
        Assert.That(_cache.Hold(new string('x', Longest + 1), []), Is.Not.Null);
        Assert.That(Use(new string('x', Longest + 1)), Is.Not.Null, "Prepare has made it");
    }

    [Test]
    public void Long_texts_make_room_for_each_other_though_there_are_few()
    {
        _cache = Cache(most: 256, minUsages: 1);
        var texts = Enumerable.Range(0, 40).Select(i => new string((char)('0' + i), Longest)).ToList();
        List<CachedStatement> statements = texts.ConvertAll(text => Use(text)!);
        Assert.That(statements, Has.No.Null);
        Assert.That(statements.Count(_cache.Contains) * Longest, Is.LessThanOrEqualTo(Budget));
        Assert.That(statements.Count(_cache.Contains), Is.GreaterThan(10));
        Assert.That(_cache.Contains(statements[^1]), Is.True);
        Assert.That(statements.SkipWhile(statement => !_cache.Contains(statement)), Has.All.Matches<CachedStatement>(statement => _cache.Contains(statement!)), "the oldest went first");
    }

    private static StatementCache Cache(int most, int minUsages = 2) => new(new AutoPrepareSettings(most, minUsages), new MessageGroups());

    // The client's part of a flight that only writes Close.
    private List<string> Closes() => StatementCacheModel.Closes(_cache, areSent: true);

    private CachedStatement? Use(string sql, params uint[] types) => _cache.Use(sql, types, ++_flight);

    private CachedStatement? Use(string sql, bool atOnce = false, bool sameFlight = false) =>
        _cache.Use(sql, [], sameFlight ? _flight : ++_flight, atOnce);

    private CachedStatement Prepared(string sql, params uint[] types)
    {
        var statement = _cache.Use(sql, types, ++_flight, atOnce: true)!;
        statement.Parsed(0);
        return statement;
    }
}
