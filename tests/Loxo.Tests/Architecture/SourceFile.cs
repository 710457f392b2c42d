using System.Text.RegularExpressions;

namespace Loxo.Tests.Architecture;

/// <summary>A file of src/Loxo: where it is, and its code without comments and texts.</summary>
internal sealed class SourceFile
{
    // In this order: a comment in a text is text, a quote in a comment is comment.
    private static readonly Regex _notCode = new(
        """"//[^\n]*|/\*.*?\*/|\$*"""+.*?"""+|\$?@\$?"(?:[^"]|"")*"|\$?"(?:\\.|[^"\\\n])*"|'(?:\\.[^']*|[^'\\])'"""", RegexOptions.Singleline);

    public SourceFile(string path)
    {
        Path = Repository.Relative(path);
        var inDriver = Path["src/Loxo/".Length..];
        Folder = inDriver.Contains('/') ? inDriver[..inDriver.IndexOf('/')] : "";
        Name = inDriver;
        Code = _notCode.Replace(File.ReadAllText(path), static match => match.Value[0] == '/' ? "" : "\"\"");
    }

    /// <summary>From the repository's root.</summary>
    public string Path { get; }

    /// <summary>From src/Loxo.</summary>
    public string Name { get; }

    /// <summary>The first folder below src/Loxo; empty for the root.</summary>
    public string Folder { get; }

    public string Code { get; }

    public override string ToString() => Name;

    /// <summary>Lines of code in which <paramref name="pattern"/> is found, as <c>file: line</c>.</summary>
    public IEnumerable<string> LinesWith(Regex pattern) =>
        Code.Split('\n').Where(line => pattern.IsMatch(line)).Select(line => $"{Name}: {line.Trim()}");
}
