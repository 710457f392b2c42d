namespace Loxo.IntegrationTests.Parameters;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class PlaceholderTests(WaitMode mode) : DatabaseTest(mode)
{
    [TestCase("SELECT @a || @b")]
    [TestCase("SELECT :a || :b")]
    [TestCase("SELECT @a || :b")]
    [TestCase("SELECT @A || :B")]
    [TestCase("SELECT @a||@b")]
    [TestCase("SELECT @a::text || (:b)::text")]
    [TestCase("SELECT /* @c */ @a || @b -- @d")]
    [TestCase("SELECT CASE WHEN '@a' = ':a' THEN 'never' ELSE @a || @b END")]
    public async Task Names_with_either_sign_and_in_any_case_are_parameters(string sql)
    {
        await using var command = Command(sql);
        command.Parameters.AddWithValue("b", "2");
        command.Parameters.AddWithValue("a", "1");

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("12"));
    }

    [TestCase("id")]
    [TestCase("@id")]
    [TestCase(":id")]
    [TestCase("ID")]
    public async Task A_parameters_name_may_have_a_sign_and_any_case(string name)
    {
        await using var command = Command("SELECT @id");
        command.Parameters.AddWithValue(name, 5);

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(5));
    }

    [Test]
    public async Task A_name_that_is_repeated_is_one_parameter()
    {
        await using var command = Command("SELECT @a + @a * @a");
        command.Parameters.AddWithValue("a", 3);

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(12));
    }

    // Mostly in the order of the text; some moved, some repeated in another spelling, some that the text does not have.
    [Test]
    public async Task A_name_stands_for_the_first_parameter_of_that_name([Range(1, 40)] int seed)
    {
        var random = new Random(seed);
        List<string> names = [.. Enumerable.Range(0, random.Next(1, 45)).Select(i => $"p{i}")];
        var text = $"SELECT concat_ws(',', {string.Join(", ", names.Select(name => $"@{name}::int"))})";
        var given = names.ToList();
        for (var changes = random.Next(6); changes > 0; changes--)
        {
            var name = names[random.Next(names.Count)];
            given.Insert(random.Next(given.Count + 1), random.Next(3) switch { 0 => name.ToUpperInvariant(), 1 => "@" + name, _ => "unused" });
        }
        if (seed % 3 == 0)
            given.Reverse(random.Next(given.Count / 2), (given.Count + 1) / 2);
        await using var command = Command(text);
        for (var i = 0; i < given.Count; i++)
            command.Parameters.AddWithValue(given[i], i);
        var expected = names.Select(name => given.FindIndex(other => string.Equals(other.TrimStart('@'), name, StringComparison.OrdinalIgnoreCase)));

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(string.Join(',', expected)));
    }

    [Test]
    public async Task Names_may_hold_letters_of_any_script_digits_and_underscores()
    {
        await using var command = Command("SELECT @größe_1 || @日本");
        command.Parameters.AddWithValue("größe_1", "a");
        command.Parameters.AddWithValue("日本", "b");

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("ab"));
    }

    [Test]
    public async Task A_name_is_not_taken_for_a_longer_one()
    {
        await using var command = Command("SELECT @id || '-' || @id2 || '-' || @id_3");
        command.Parameters.AddWithValue("id", "a");
        command.Parameters.AddWithValue("id2", "b");
        command.Parameters.AddWithValue("id_3", "c");

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("a-b-c"));
    }

    [Test]
    public async Task Operators_and_casts_that_look_like_names_stay_operators()
    {
        await using var command = Command("SELECT @n::int = 5 AND ARRAY[1, 2] @> ARRAY[1] AND ARRAY[1] <@ ARRAY[1, 2] AND @ -5 = 5 AND (ARRAY[1, 2, 3])[1:2] = ARRAY[1, 2]");
        command.Parameters.AddWithValue("n", 5);

        Assert.That(await Mode.ExecuteScalar(command), Is.True);
    }

    [Test]
    public async Task Literals_of_all_kinds_hide_what_looks_like_a_name()
    {
        await using var command = Command(@"SELECT '@x' || ""@x"" || $$@x$$ || $tag$@x $$ ; $tag$ || E'\'@x' || U&'\0040x' || @x FROM (SELECT 'c' AS ""@x"") t");
        command.Parameters.AddWithValue("x", "!");

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("@xc@x@x $$ ; '@x@x!"));
    }

    [Test]
    public async Task Positional_parameters_are_sent_in_their_order()
    {
        await using var command = Command("SELECT $2 || $1 || $2", "a", "b");

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("bab"));
    }

    [Test]
    public async Task Parameters_that_the_text_does_not_name_are_not_sent()
    {
        await using var command = Command("SELECT @used");
        command.Parameters.AddWithValue("unused", new Version(1, 2));
        command.Parameters.AddWithValue("used", 1);

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
    }

    [Test]
    public async Task An_insert_with_many_named_parameters_runs()
    {
        await Execute("CREATE TEMP TABLE item (id int, name text)");
        const int Count = 1000;
        var values = string.Join(", ", Enumerable.Range(0, Count).Select(i => $"(@id{i}, @name{i})"));
        await using var command = Command("INSERT INTO item VALUES " + values);
        for (var i = 0; i < Count; i++)
        {
            command.Parameters.AddWithValue("id" + i, i);
            command.Parameters.AddWithValue("name" + i, "n" + i);
        }

        Assert.That(await Mode.ExecuteNonQuery(command), Is.EqualTo(Count));

        Assert.That(await Scalar<long>("SELECT count(*) FROM item WHERE name = 'n' || id"), Is.EqualTo(Count));
    }
}
