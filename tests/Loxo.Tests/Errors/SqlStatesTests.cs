using System.Reflection;
using Loxo.Tools.SqlStates;

namespace Loxo.Tests.Errors;

public class SqlStatesTests
{
    private static readonly string[] SampleList =
    [
        "# a comment",
        "",
        "Section: Class 01 - Warning",
        "",
        "01004    W    ERRCODE_WARNING_STRING_DATA_RIGHT_TRUNCATION                   string_data_right_truncation",
        "Section: Class 22 - Data Exception",
        "2202E    E    ERRCODE_ARRAY_ELEMENT_ERROR",
        "2202E    E    ERRCODE_ARRAY_SUBSCRIPT_ERROR                                  array_subscript_error",
        "22001    E    ERRCODE_STRING_DATA_RIGHT_TRUNCATION                           string_data_right_truncation",
        "Section: Class 38 - External Routine Exception",
        "38002    E    ERRCODE_E_R_E_MODIFYING_SQL_DATA_NOT_PERMITTED                 modifying_sql_data_not_permitted",
    ];

    [Test]
    public void A_list_gives_each_code_once_under_a_name_that_no_other_class_has()
    {
        var codes = ErrorCodeList.Parse(SampleList);

        Assert.That(codes.Select(code => (code.Code, code.Name)), Is.EqualTo(new[]
        {
            ("01004", "StringDataRightTruncationWarning"),
            ("2202E", "ArraySubscriptError"),
            ("22001", "StringDataRightTruncation"),
            ("38002", "ModifyingSqlDataNotPermittedExternalRoutineException"),
        }));
    }

    [Test]
    public void A_code_that_only_an_older_server_has_is_kept_in_its_place()
    {
        var newer = ErrorCodeList.Parse(SampleList);
        var older = ErrorCodeList.Parse(
        [
            "Section: Class 22 - Data Exception",
            "22001 E ERRCODE_STRING_DATA_RIGHT_TRUNCATION an_old_name",
            "22999 E ERRCODE_GONE gone",
            "Section: Class 30 - Gone",
            "30000 E ERRCODE_GONE_CLASS gone_class",
        ]);

        var merged = ErrorCodeList.Merge([newer, older]);

        Assert.That(merged.Select(code => code.Code), Is.EqualTo(new[] { "01004", "2202E", "22001", "22999", "30000", "38002" }));
        Assert.That(merged[2].Name, Is.EqualTo("StringDataRightTruncation"));
    }

    [Test]
    public void The_committed_constants_are_what_the_tool_writes_for_the_servers_own_list()
    {
        var lists = InstalledLists().ToList();
        Assume.That(lists, Is.Not.Empty, "no PostgreSQL is installed here");
        var committed = File.ReadAllText(Path.Combine(RepositoryRoot(), "src/Loxo/Errors/SqlStates.g.cs"));

        Assert.Multiple(() =>
        {
            foreach (var code in lists.SelectMany(path => ErrorCodeList.Parse(File.ReadLines(path))))
                Assert.That(committed, Does.Contain(SqlStatesWriter.SqlStatesMember(code)));
        });
    }

    [Test]
    public void Every_constant_is_a_sqlstate_and_none_occurs_twice()
    {
        var states = Constants(typeof(SqlStates));

        Assert.That(states, Has.Count.GreaterThan(250));
        Assert.That(states.Values, Is.All.Matches("^[0-9A-Z]{5}$"));
        Assert.That(states.Values, Is.Unique);
    }

    [TestCase("23505", SqlStates.UniqueViolation)]
    [TestCase("22012", SqlStates.DivisionByZero)]
    [TestCase("57014", SqlStates.QueryCanceled)]
    [TestCase("25P04", SqlStates.TransactionTimeout)]
    [TestCase("72000", SqlStates.SnapshotTooOld)]
    public void Well_known_states_have_their_well_known_names(string code, string constant) => Assert.That(constant, Is.EqualTo(code));

    [Test]
    public void The_class_for_migration_has_the_same_constants()
    {
        var migration = Constants(typeof(PostgresErrorCodes));
        migration.Remove("SnapshotFailure", out var snapshotFailure);

        Assert.That(snapshotFailure, Is.EqualTo(SqlStates.SnapshotTooOld));
        Assert.That(migration, Is.EquivalentTo(Constants(typeof(SqlStates))));
    }

    private static Dictionary<string, string> Constants(Type type) =>
        type.GetFields(BindingFlags.Public | BindingFlags.Static).ToDictionary(field => field.Name, field => (string)field.GetRawConstantValue()!);

    // Versions up to the newest whose list the committed file was made from.
    private static IEnumerable<string> InstalledLists() =>
        from version in Enumerable.Range(12, 18 - 12 + 1)
        from folder in new[]
        {
            $"/usr/share/postgresql/{version}", $"/usr/pgsql-{version}/share", $"/opt/homebrew/opt/postgresql@{version}/share/postgresql",
            $"/opt/homebrew/share/postgresql@{version}", $@"C:\Program Files\PostgreSQL\{version}\share",
        }
        let path = Path.Combine(folder, "errcodes.txt")
        where File.Exists(path)
        select path;

    private static string RepositoryRoot()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (!File.Exists(Path.Combine(folder.FullName, "Loxo.slnx")))
            folder = folder.Parent ?? throw new DirectoryNotFoundException("The tests do not run inside the repository.");
        return folder.FullName;
    }
}
