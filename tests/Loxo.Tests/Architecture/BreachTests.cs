namespace Loxo.Tests.Architecture;

/// <summary>Each rule of the architecture finds a breach of it.</summary>
public sealed class BreachTests
{
    private const string Command = "namespace Loxo; public sealed class PgCommand { public int Timeout; }";

    private static readonly LayerTable _table = new("""
        | folder | what is in it | may use | must not know |
        |---|---|---|---|
        | `Protocol/` | messages | nothing of ours | |
        | `Types/` | values | Protocol without Authentication | |
        | `Session/` | connections | Types, Protocol | |
        | `Settings/` | keywords | records of Session | |
        | `Pool/` | sessions | Session and below; `Loxo.Pooling` | |
        | `Commands/` | commands | all of the above; the root | |
        | (root) | public types | all of the above | |
        """);

    [TestCase("Types", "Protocol/Frontend", ExpectedResult = true)]
    [TestCase("Types", "Protocol/Authentication", ExpectedResult = false)]
    [TestCase("Protocol", "Types", ExpectedResult = false)]
    [TestCase("Pool", "Types", ExpectedResult = true)]
    [TestCase("Pool", "Settings", ExpectedResult = false)]
    [TestCase("Commands", "", ExpectedResult = true)]
    [TestCase("Pool", "", ExpectedResult = false)]
    [TestCase("", "Commands", ExpectedResult = true)]
    [TestCase("Unknown", "Protocol", ExpectedResult = false)]
    public bool The_table_says_which_folder_may_use_which(string from, string to) => _table.Allows(from, to);

    [Test]
    public void A_lower_folder_uses_a_public_type_without_a_using() => Finds(
        FolderRules.Uses(Driver(("PgCommand.cs", Command),
            ("Session/Rows.cs", "namespace Loxo.Session;\nclass Rows\n{\n    PgCommand _owner;\n}")), _table),
        "src/Loxo/Session/Rows.cs:4", "Rows (Session) uses PgCommand (root)");

    [Test]
    public void A_lower_folder_uses_a_member_of_a_type_that_it_does_not_name() => Finds(
        FolderRules.Uses(Driver(("PgCommand.cs", Command),
            ("Pool/Maker.cs", "namespace Loxo.Pool; static class Maker { public static Loxo.Session.Made M; }"),
            ("Session/Made.cs", "namespace Loxo.Session; class Made { public int Size; }"),
            ("Types/Codec.cs", "class Codec { int Size() => Loxo.Pool.Maker.M.Size; }")), _table)
            .Where(breach => breach.Subject.EndsWith("Made", StringComparison.Ordinal)),
        "src/Loxo/Types/Codec.cs:1", "Codec (Types) uses Made.Size (Session)");

    [Test]
    public void Settings_use_a_class() => Finds(
        FolderRules.SettingsUseOnlyRecords(
            Driver(("Session/Opener.cs", "namespace Loxo.Session; class Opener; enum Mode { A } record Limits(Mode Mode);"),
            ("Settings/Keywords.cs", "using Loxo.Session; class Keywords { Opener _opener; Mode _mode = Mode.A; Limits _limits; }"))),
        "src/Loxo/Settings/Keywords.cs:1", "Keywords (Settings) uses Opener (Session)");

    [Test]
    public void Two_subfolders_use_each_other() => Finds(
        FolderRules.CyclesOfSubfolders(
            Driver(("Types/A/One.cs", "class One { Two _two; }"), ("Types/B/Two.cs", "class Two { One _one; }"))),
        "src/Loxo", "the folders Types/A, Types/B use each other");

    [Test]
    public void Three_folders_use_each_other_in_a_circle() => Finds(
        FolderRules.CyclesOfFolders(Driver(("A/One.cs", "class One { Two _two; }"), ("B/Two.cs", "class Two { Three _three; }"),
            ("C/Three.cs", "class Three { One _one; }"), ("D/Four.cs", "class Four { One _one; }"))),
        "src/Loxo", "the folders A, B, C use each other");

    [Test]
    public void A_part_of_a_type_is_in_another_folder() => Finds(
        FolderRules.PartsInOneFolder(
            Driver(("Errors/Error.cs", "partial class Error;"), ("Error.Batch.cs", "partial class Error { int Batch; }"))),
        "src/Loxo/Errors/Error.cs:1", "Error has parts in the folders src/Loxo/Errors, src/Loxo");

    [Test]
    public void A_type_is_in_three_files() => Finds(
        SizeRules.FilesOfTypes(Driver(("A.cs", "partial class A;"), ("A.B.cs", "partial class A;"), ("A.C.cs", "partial class A;"))),
        "src/Loxo/A.cs:1", "A is spread over 3 files");

    [Test]
    public void A_type_has_too_many_lines_of_code_in_its_files_together()
    {
        var (half, comments) = (Repeat("    int {0}{1};\n", 250), Repeat("    // {0}{1}\n", 100));
        Finds(
            SizeRules.Types(Driver(("A.cs", $"partial class A\n{{\n{half("a")}{comments("")}}}"),
                ("A.B.cs", $"partial class A\n{{\n{half("b")}}}"),
                ("C.cs", $"class C\n{{\n{half("c")}{comments("")}}}"))),
            "src/Loxo/A.cs:1", "A has 506 lines of code");
    }

    [Test]
    public void A_file_has_too_many_lines() => Finds(
        SizeRules.Files(Driver(("A.cs", new string('\n', 401)), ("B.cs", new string('\n', 400)), ("C.g.cs", new string('\n', 401)))),
        "src/Loxo/A.cs:401", "the file has 401 lines");

    [Test]
    public void A_line_is_too_long() => Finds(
        SizeRules.Lines(Driver(("A.cs", "\n//" + new string('a', 139)), ("B.cs", "//" + new string('a', 138)))),
        "src/Loxo/A.cs:2", "the line has 141 characters");

    [TestCase("Task<int> task", "task.Result")]
    [TestCase("ValueTask<int> task", "task.Result")]
    [TestCase("Task task", "task.Wait()")]
    [TestCase("Task task", "Task.WaitAll(task)")]
    [TestCase("Task task", "Task.WaitAny([task])")]
    [TestCase("Task task", "task.GetAwaiter().GetResult()")]
    [TestCase("ValueTask task", "task.GetAwaiter().GetResult()")]
    [TestCase("Task task", "task.ConfigureAwait(false)\n.GetAwaiter()\n.GetResult()")]
    [TestCase("Task task", "((IAsyncResult)task).AsyncWaitHandle.WaitOne()")]
    [TestCase("Task task", "Call(task.Wait)")]
    public void A_public_member_blocks_on_a_task(string parameter, string call) => Finds(
        BlockingRule.Calls(Driver(
            ("PgA.cs", $"public class PgA {{ void Call(Action a) {{ }} public void Run({parameter}) {{ _ = {call}; }} }}"))),
        "src/Loxo/PgA.cs:", "PgA.Run blocks its thread until a task ends");

    [TestCase("query.Result.ToString();")]
    [TestCase("query.Wait();")]
    [TestCase("await task;")]
    public void Equal_names_of_other_types_and_await_do_not_block(string call) => Assert.That(
        BlockingRule.Calls(Driver(("A.cs", $"class Query {{ public int Result; public void Wait() {{ }} }}\n"
            + $"class A {{ async Task Run(Query query, Task task) {{ {call} }} }}"))), Is.Empty);

    [Test]
    public void A_name_that_is_not_found_is_reported() =>
        Assert.That(Driver(("A.cs", "class A { B _b; }"), ("B/B.cs", "namespace Loxo.B; class B;")).Folders.Unresolved,
            Is.EqualTo(new[] { "src/Loxo/A.cs:1: B" }));

    [Test]
    public void An_exemption_that_nothing_needs_is_reported()
    {
        var breach = new Breach("A.cs:1", "A.cs", "the rule.", "The remedy.");
        Breach.AssertNone([breach], new() { ["A.cs"] = "reason" });
        Assert.That(() => Check([], "A.cs"), Throws.InstanceOf<AssertionException>());
        Assert.That(() => Check([breach], "B.cs"), Throws.InstanceOf<AssertionException>());

        static void Check(Breach[] breaches, string exempt)
        {
            using (new NUnit.Framework.Internal.TestExecutionContext.IsolatedContext())
                Breach.AssertNone(breaches, new() { [exempt] = "reason" });
        }
    }

    [TestCase("See `src/Loxo/PgCommand.cs`, `PgCommand.cs`, `PgCommand.cs --help`, `Session/Rows.cs`, `Rows/`, [it](a.md#b), "
        + "[it](../README.md).")]
    [TestCase("```\n`Missing.cs`\n```")]
    [TestCase("`application/json`, `a b/`, `...Types.cs`, [site](https://example.org/x.md)")]
    public void Pages_may_name_what_exists(string text) => Assert.That(Paths(text), Is.Empty);

    [TestCase("`Session/Gone.cs`")]
    [TestCase("`src/Gone`")]
    [TestCase("`Gone.cs`")]
    [TestCase("`Gone/`")]
    [TestCase("[it](gone.md)")]
    [TestCase("[it](README.md)")]
    public void A_page_names_a_path_that_does_not_exist(string text) =>
        Finds(Paths("\n" + text), "docs/page.md:2", "there is no file or folder");

    [TestCase("`Gone`", ExpectedResult = 1)]
    [TestCase("`PgCommand.Gone`", ExpectedResult = 1)]
    [TestCase("`Gone.Timeout`", ExpectedResult = 1)]
    [TestCase("`Gone<T>`", ExpectedResult = 1)]
    [TestCase("`new Gone()`", ExpectedResult = 1)]
    [TestCase("`PgCommand`, `PgCommand.Timeout`, `Timeout`, `Task<T>`, `Task.Run()`, `SELECT`, `word`, `Two Words`", ExpectedResult = 0)]
    public int A_page_names_a_type_or_member_that_does_not_exist(string text)
    {
        var sources = Driver(("PgCommand.cs", Command));
        return DocumentRules.Names([new Page("docs/page.md", text)], new KnownNames(sources.Trees, sources.Compilation)).Count();
    }

    private static IEnumerable<Breach> Paths(string text)
    {
        string[] files = ["src/Loxo/PgCommand.cs", "src/Loxo/Session/Rows.cs", "docs/a.md", "docs/../README.md"];
        return DocumentRules.Paths([new Page("docs/page.md", text)],
            path => files.Any(file => file == path || file.StartsWith(path + "/", StringComparison.Ordinal)),
            new HashSet<string> { "PgCommand.cs", "Rows.cs", "Rows/" });
    }

    private static Sources Driver(params (string Path, string Text)[] files) =>
        Sources.Of([.. files.Select(file => ($"src/Loxo/{file.Path}", file.Text))]);

    private static void Finds(IEnumerable<Breach> breaches, string place, string text)
    {
        var found = breaches.Select(breach => breach.ToString()).ToList();
        Assert.That(found, Has.Count.EqualTo(1));
        Assert.That(found[0], Does.StartWith(place).And.Contain(text));
    }

    private static Func<string, string> Repeat(string format, int count) =>
        prefix => string.Concat(Enumerable.Range(0, count).Select(i => string.Format(null, format, prefix, i)));
}
