using System.Text.RegularExpressions;

namespace Loxo.Tests.Architecture;

/// <summary>The folders of src/Loxo use each other as the table in docs/ARCHITECTURE.md says.</summary>
public sealed partial class LayerTests
{
    private static readonly LayerTable _table = new(Repository.Read("docs/ARCHITECTURE.md"));

    private static readonly Dictionary<string, string> _uses = new()
    {
        ["Settings: ConnectionSettings -> Types: ArrayNullabilityMode"] = "the enum of a keyword, which codecs of arrays use",
        ["Settings: Keywords -> Types: ArrayNullabilityMode"] = "the enum of a keyword, which codecs of arrays use",
    };

    private static readonly Dictionary<string, string> _circlesOfSubfolders = new()
    {
        ["Protocol, Protocol/Backend, Protocol/Frontend"] =
            "the messages use the words of the protocol (FormatCode, TransactionStatus, ProtocolErrors), which are beside Exchange",
    };

    private static readonly Dictionary<string, string> _circlesOfFolders = new()
    {
        ["root, Commands, Copy, Parameters, Reading, Replication, Schema, Transactions"] =
            "the folders of the ADO.NET layer: the public types delegate to the folders, which name them",
    };

    private static readonly Dictionary<string, string> _typesInTwoFolders = new()
    {
        ["Loxo.PgException"] = "its public property BatchCommand is a PgBatchCommand",
    };

    [Test]
    public void Every_folder_has_its_place_in_the_table() =>
        Assert.That(Sources.Own.Folders.Folders.Select(FolderGraph.Top).Distinct(), Is.EquivalentTo(_table.Folders));

    [Test]
    public void The_root_holds_nothing_but_public_types() =>
        Assert.That(Repository.Driver
            .Where(file => file.Folder.Length == 0 && !PublicType().IsMatch(file.Code)).Select(file => file.Name), Is.Empty);

    [Test]
    public void Folders_use_only_the_folders_that_the_table_allows() => Breach.AssertNone(FolderRules.Uses(Sources.Own, _table), _uses);

    [Test]
    public void Settings_use_only_records_and_enums_of_other_folders() =>
        Breach.AssertNone(FolderRules.SettingsUseOnlyRecords(Sources.Own));

    [Test]
    public void No_two_subfolders_of_a_folder_use_each_other() =>
        Breach.AssertNone(FolderRules.CyclesOfSubfolders(Sources.Own), _circlesOfSubfolders);

    [Test]
    public void No_two_folders_use_each_other() => Breach.AssertNone(FolderRules.CyclesOfFolders(Sources.Own), _circlesOfFolders);

    [Test]
    public void All_parts_of_a_type_are_in_one_folder() => Breach.AssertNone(FolderRules.PartsInOneFolder(Sources.Own), _typesInTwoFolders);

    [Test]
    public void References_are_seen() => Assert.That(
        Sources.Own.Folders.References.Where(reference => reference.From == "Session").Select(reference => FolderGraph.Top(reference.To))
            .Distinct(),
        Is.SupersetOf(new[] { "Transport", "Protocol", "Types" }));

    [Test]
    public void Every_name_in_the_driver_is_resolved() => Assert.That(Sources.Own.Folders.Unresolved, Is.Empty);

    [Test]
    public void Transport_does_not_know_which_message_is_which() =>
        Assert.That(Repository.Driver.Where(file => file.Folder == "Transport").SelectMany(file => file.LinesWith(MessageTypes())),
            Is.Empty);

    [Test]
    public void The_folder_is_the_namespace_unless_users_see_the_type() =>
        Assert.That(Repository.Driver.Where(file => !NamespaceFits(file)).Select(file => file.Name), Is.Empty);

    private static bool NamespaceFits(SourceFile file)
    {
        var name = Namespace().Match(file.Code).Groups[1].Value;
        // The families of types are folders, not namespaces: no file needs to know where a codec is.
        var folders = file.Folder == "Types" ? file.Folder
            : file.Name.Contains('/') ? file.Name[..file.Name.LastIndexOf('/')].Replace('/', '.')
            : "";
        return name == "Loxo" || (folders.Length > 0 && name == "Loxo." + folders);
    }

    [GeneratedRegex(@"\bnamespace ([\w.]+);")]
    private static partial Regex Namespace();

    [GeneratedRegex(@"^public [\w ]*\b(?:class|struct|interface|enum|delegate)\b.*\bPg\w+", RegexOptions.Multiline)]
    private static partial Regex PublicType();

    [GeneratedRegex(@"\b(BackendMessageType|FrontendMessage|Messages)\b")]
    private static partial Regex MessageTypes();
}
