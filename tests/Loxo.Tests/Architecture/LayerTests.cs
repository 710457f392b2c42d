using System.Text.RegularExpressions;

namespace Loxo.Tests.Architecture;

/// <summary>Who may know whom, as the table in docs/ARCHITECTURE.md says it.</summary>
public sealed partial class LayerTests
{
    // The ADO.NET layer: the public types in the root, and the folders behind them. It may use all; no other folder names any type of it.
    private static readonly string[] _adoNet = ["", "Commands", "Parameters", "Reading"];

    // Below it, folder by folder: namespaces of ours that it may use beside its own. Errors and Diagnostics are in namespace Loxo, and
    // everybody may use those two.
    private static readonly Dictionary<string, string[]> _mayUse = new()
    {
        ["Errors"] = [],
        ["Diagnostics"] = [],
        ["Protocol"] = [],
        ["Sql"] = [],
        ["Types"] = ["Protocol", "Protocol.Frontend", "Protocol.Backend"],
        ["Transport"] = ["Protocol", "Protocol.Frontend", "Protocol.Backend"],
        ["Session"] = ["Transport", "Protocol", "Types"],
        ["Settings"] = ["Transport", "Session", "Protocol.Authentication", "Pool"],
        ["Pool"] = ["Pooling", "Session", "Transport", "Protocol"],
        ["Copy"] = ["Session", "Types"],
        ["Notifications"] = ["Session", "Types"],
        ["LargeObjects"] = ["Session", "Types"],
        ["Replication"] = ["Session", "Types"],
        ["Pipelining"] = ["Session", "Types"],
    };

    private static readonly string[] _exactly = ["Types", "Transport", "Settings"];

    private static IEnumerable<SourceFile> Below => Repository.Driver.Where(file => !_adoNet.Contains(file.Folder));

    [Test]
    public void Every_folder_has_its_place_in_the_table() =>
        Assert.That(Repository.Driver.Select(file => file.Folder).Except(_adoNet), Is.SubsetOf(_mayUse.Keys));

    [Test]
    public void The_root_holds_nothing_but_public_types() =>
        Assert.That(Repository.Driver
            .Where(file => file.Folder.Length == 0 && !PublicType().IsMatch(file.Code)).Select(file => file.Name), Is.Empty);

    [Test]
    public void Folders_use_only_the_folders_below_them() =>
        Assert.That(Below.SelectMany(file => Used(file)
            .Where(used => !MayUse(file.Folder, used)).Select(used => $"{file} uses Loxo.{used}")), Is.Empty);

    [Test]
    public void What_is_used_is_seen() => Assert.That(
        Repository.Driver.Where(file => file.Folder == "Session").SelectMany(Used).Distinct(), Is.SupersetOf(new[] { "Transport", "Protocol", "Types" }));

    [Test]
    public void Nothing_below_names_a_type_of_the_ADO_NET_layer()
    {
        var declared = Repository.Driver.ToLookup(
            file => _adoNet.Contains(file.Folder), file => Declaration().Matches(file.Code).Select(match => match.Groups[1].Value));
        var ofAdoNet = declared[true].SelectMany(names => names).Except(declared[false].SelectMany(names => names));
        var anyOfAdoNet = new Regex($@"\b({string.Join('|', ofAdoNet)})\b");
        Assert.That(Below.SelectMany(file => file.LinesWith(anyOfAdoNet)), Is.Empty);
    }

    [Test]
    public void Transport_does_not_know_which_message_is_which() =>
        Assert.That(Repository.Driver.Where(file => file.Folder == "Transport").SelectMany(file => file.LinesWith(MessageTypes())), Is.Empty);

    [Test]
    public void The_folder_is_the_namespace_unless_users_see_the_type() =>
        Assert.That(Repository.Driver.Where(file => !NamespaceFits(file)).Select(file => file.Name), Is.Empty);

    private static bool MayUse(string folder, string used)
    {
        var first = used.Split('.')[0];
        if (first == folder || first is "Diagnostics")
            return true;
        var allowed = _mayUse.GetValueOrDefault(folder, []);
        return allowed.Contains(used) || (!_exactly.Contains(folder) && allowed.Contains(first));
    }

    private static IEnumerable<string> Used(SourceFile file) =>
        Using().Matches(file.Code).Select(match => match.Groups[1].Value)
            .Concat(Qualified().Matches(file.Code).Select(match => match.Groups[1].Value))
            .Where(used => _mayUse.ContainsKey(used.Split('.')[0]) || _adoNet.Contains(used.Split('.')[0]))
            .Select(used => used.TrimEnd('.'));

    private static bool NamespaceFits(SourceFile file)
    {
        var name = Namespace().Match(file.Code).Groups[1].Value;
        // The families of types are folders, not namespaces: no file needs to know where a codec is.
        var folders = file.Folder == "Types" ? file.Folder : file.Name.Contains('/') ? file.Name[..file.Name.LastIndexOf('/')].Replace('/', '.') : "";
        return name == "Loxo" || (folders.Length > 0 && name == "Loxo." + folders);
    }

    [GeneratedRegex(@"using (?:static |\w+ = )?Loxo\.([\w.]+);")]
    private static partial Regex Using();

    // A namespace named in the middle of code: Loxo.Session.X.
    [GeneratedRegex(@"(?<![\w.])(?<!using )(?<!namespace )Loxo\.((?:[A-Z]\w*\.)+)")]
    private static partial Regex Qualified();

    [GeneratedRegex(@"\bnamespace ([\w.]+);")]
    private static partial Regex Namespace();

    [GeneratedRegex(@"^\s*(?:public|internal)[\w\s]*?\b(?:class|struct|interface|enum|record)\s+(?:struct\s+|class\s+)?(\w+)", RegexOptions.Multiline)]
    private static partial Regex Declaration();

    [GeneratedRegex(@"^public [\w ]*\b(?:class|struct|interface|enum|delegate)\b.*\bPg\w+", RegexOptions.Multiline)]
    private static partial Regex PublicType();

    [GeneratedRegex(@"\b(BackendMessageType|FrontendMessage|Messages)\b")]
    private static partial Regex MessageTypes();
}
