using System.Text.RegularExpressions;
using Loxo.Tests.Architecture;

namespace Loxo.Tests.Compatibility;

/// <summary>Every public member of Npgsql 10.0.0 has a counterpart, or a row with its reason in docs/npgsql-differences.md.</summary>
public sealed partial class NpgsqlSurfaceTests
{
    // The rows of the last section are calls: DifferentialTests has them.
    private static readonly string[] _rows = [.. Row().Matches(Repository.Read("docs/npgsql-differences.md").Split("\n## Call by call")[0])
        .Select(row => row.Groups[1].Value.Replace("\\", "")).Where(name => name is not "Npgsql")];

    [Test]
    public void Each_missing_member_has_a_row() => Assert.That(
        string.Join('\n', NpgsqlSurface.Missing.Where(member => !_rows.Any(member.IsNamedBy)).Select(member => member.Name)), Is.Empty);

    [Test]
    public void Each_row_names_a_missing_member() => Assert.That(
        _rows.Where(row => !NpgsqlSurface.Missing.Any(member => member.IsNamedBy(row))), Is.Empty);

    [Test]
    public void Each_member_has_one_row() => Assert.That(
        NpgsqlSurface.Missing.Where(member => _rows.Count(member.IsNamedBy) > 1).Select(member => member.Name), Is.Empty);

    [Test]
    public void No_row_names_a_member_that_is_there() => Assert.That(
        NpgsqlSurface.Present.Where(member => _rows.Any(member.IsNamedBy)).Select(member => member.Name), Is.Empty);

    [Test]
    public void Nothing_is_missing_from_a_copy() => Assert.That(
        typeof(Npgsql.NpgsqlConnection).Assembly.GetExportedTypes().SelectMany(type => NpgsqlSurface.MissingFrom(type, type)), Is.Empty);

    [Test]
    public void Another_signature_is_missed() => Assert.That(
        NpgsqlSurface.MissingFrom(typeof(Theirs), typeof(Ours)).Select(member => member.Name),
        Is.EquivalentTo(
        [
            "NpgsqlSurfaceTests.Theirs : IDisposable", "NpgsqlSurfaceTests.Theirs.Theirs(Int32)", "NpgsqlSurfaceTests.Theirs.Gone()",
            "NpgsqlSurfaceTests.Theirs.Wider(Int64)", "NpgsqlSurfaceTests.Theirs.Optional(Int32)", "NpgsqlSurfaceTests.Theirs.Dispose()",
            "NpgsqlSurfaceTests.Theirs.Returns()", "NpgsqlSurfaceTests.Theirs.Settable { set; }", "NpgsqlSurfaceTests.Theirs.Static()",
            "NpgsqlSurfaceTests.Theirs.Hidden()", "NpgsqlSurfaceTests.Theirs.op_Addition(Theirs, Int32)",
        ]));

    [GeneratedRegex(@"^\| ([^|]+) \| [^|]{8,} \| [^|]{4,} \|$", RegexOptions.Multiline)]
    private static partial Regex Row();

#pragma warning disable CA1822, IDE0060 // compared by reflection only
    public sealed class Theirs(int value) : IDisposable
    {
        public int Settable { get; set; } = value;

        public int Readable => 1;

        public static Theirs operator +(Theirs left, int right) => new(left.Settable + right);

        public static void Static()
        {
        }

        public void Gone()
        {
        }

        public void Wider(long value)
        {
        }

        public void Optional(int value = 0)
        {
        }

        public string Returns() => "";

        public object Same(string text) => text;

        public Task<object> Hidden() => Task.FromResult<object>("");

        public void Dispose()
        {
        }
    }

    public class OurBase
    {
        public Task<object> Hidden() => Task.FromResult<object>("");
    }

    public sealed class Ours : OurBase
    {
        public int Settable => 1;

        public int Readable { get; set; }

        public void Static()
        {
        }

        public void Wider(int value)
        {
        }

        public void Optional(int value)
        {
        }

        public object Returns() => "";

        public string Same(string text, int more = 0) => text + more;

        public new Task<string> Hidden() => Task.FromResult("");
    }
}
