using System.Reflection;
using Microsoft.Extensions.Logging;

namespace Loxo.Tests.Architecture;

public sealed class RepositoryTests
{
    private const int MostLines = 500;

    private static readonly string[] _texts =
        [".cs", ".md", ".txt", ".csproj", ".props", ".targets", ".slnx", ".json", ".yml", ".yaml", ".xml", ".sh", ".svg", ".sql", ".editorconfig", ".gitignore"];

    private static IEnumerable<string> WrittenTexts => Directory.EnumerateDirectories(Repository.Root)
        .Select(Path.GetFileName)
        .Where(name => name is "src" or "tests" or "bench" or "docs" or "samples" or "tools" or ".github")
        .SelectMany(name => Repository.Files(name!))
        .Concat(Directory.EnumerateFiles(Repository.Root))
        .Where(path => _texts.Contains(Path.GetExtension(path)));

    [Test]
    public void Files_of_tests_and_tools_have_at_most_500_lines() => Assert.That(
        WrittenTexts.Where(path => path.EndsWith(".cs", StringComparison.Ordinal) && !path.EndsWith(".g.cs", StringComparison.Ordinal))
            .Select(path => (Path: Repository.Relative(path), Lines: File.ReadLines(path).Count()))
            .Where(file => file.Lines > MostLines),
        Is.Empty);

    // PostgreSQL 15 and 18 end with SIGSEGV when the schema of the object has just been dropped: a NULL name is quoted (objectaddress.c).
    [Test]
    public void No_query_identifies_an_object_that_others_may_drop() => Assert.That(
        Repository.Files("src").Where(path => path.EndsWith(".cs", StringComparison.Ordinal) && !path.EndsWith(".g.cs", StringComparison.Ordinal))
            .Where(path => File.ReadAllText(path).Contains("pg_identify_object", StringComparison.Ordinal)).Select(Repository.Relative),
        Is.Empty, "pg_describe_object does no harm.");

    [Test]
    public void A_log_message_has_an_event_id_of_its_own()
    {
        var ids = typeof(PgConnection).Assembly.GetTypes()
            .SelectMany(type => type.GetMethods(BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
            .Select(method => method.GetCustomAttribute<LoggerMessageAttribute>()).OfType<LoggerMessageAttribute>()
            .Select(message => message.EventId).ToList();
        Assert.That(ids, Has.Count.GreaterThan(10).And.Unique);
    }

    [Test]
    public void No_text_names_a_directory_of_the_machine_it_was_written_on()
    {
        string[] directories = [Repository.Root, Environment.GetFolderPath(Environment.SpecialFolder.UserProfile)];
        var banned = directories.Where(directory => directory.Length > 1).Select(directory => directory + Path.DirectorySeparatorChar).ToArray();
        Assert.That(WrittenTexts.Where(path => banned.Any(File.ReadAllText(path).Contains)).Select(Repository.Relative), Is.Empty);
    }
}
