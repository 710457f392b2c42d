namespace Loxo.Tests.Architecture;

public sealed class PublicApiTests
{
    private const string Accept = "LOXO_ACCEPT_PUBLIC_API";

    private static readonly string _recorded = Path.Combine(Repository.Root, "tests", "Loxo.Tests", "Architecture", "PublicApi.txt");

    [Test]
    public void What_users_see_changes_only_on_purpose()
    {
        var now = PublicApi.Of(typeof(PgConnection).Assembly);
        var proposed = Path.ChangeExtension(_recorded, ".new.txt");
        if (Environment.GetEnvironmentVariable(Accept) == "1")
            File.WriteAllText(_recorded, now);
        var recorded = File.Exists(_recorded) ? File.ReadAllText(_recorded) : "";
        if (now == recorded)
        {
            File.Delete(proposed);
            return;
        }
        File.WriteAllText(proposed, now);
        Assert.Fail($"The public API differs from {Repository.Relative(_recorded)}.\n{Differences(recorded, now)}\n"
            + $"What it is now stands in {Repository.Relative(proposed)}. If it is meant, run this test once with {Accept}=1 and commit the list.");
    }

    [Test]
    public void The_list_is_the_same_each_time() =>
        Assert.That(PublicApi.Of(typeof(PgConnection).Assembly), Is.EqualTo(PublicApi.Of(typeof(PgConnection).Assembly)));

    private static string Differences(string recorded, string now)
    {
        var (before, after) = (Lines(recorded), Lines(now));
        return string.Join('\n', before.Except(after).Select(line => "- " + line).Concat(after.Except(before).Select(line => "+ " + line)).Take(60));
    }

    // Each member with the type that it belongs to, so that equal members of two types are told apart.
    private static List<string> Lines(string text)
    {
        var lines = new List<string>();
        var type = "";
        foreach (var line in text.Split('\n').Where(line => line.Length > 0))
        {
            type = line[0] == ' ' ? type : line;
            lines.Add(line[0] == ' ' ? $"{type} |{line}" : line);
        }
        return lines;
    }
}
