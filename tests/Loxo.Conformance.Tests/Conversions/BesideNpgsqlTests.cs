using Loxo.Conformance.Rules;

namespace Loxo.Conformance.Conversions;

/// <summary>What a column is read as, beside Npgsql: where the answers differ, <see cref="Differences"/> says so and why.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class BesideNpgsqlTests(WaitMode mode)
{
    [Test]
    public async Task Every_cell_is_read_alike_or_listed()
    {
        var (ours, theirs) = (await Matrix.Of(Driver.Loxo, mode), await Matrix.Of(Driver.Npgsql, mode));
        var found = new List<string>();
        var used = new HashSet<Difference>();
        foreach (var (cell, (answer, _, _)) in ours)
        {
            if (answer == theirs[cell].Generic)
                continue;
            if (Differences.Of(cell, answer, theirs[cell].Generic) is { } listed)
                used.Add(listed);
            else
                found.Add($"{cell.Type} | {cell.Value} | {cell.Target} | {answer} | {theirs[cell].Generic}");
        }

        Assert.That(found, Is.Empty, "Column, value, read as, Loxo, Npgsql:\n" + string.Join('\n', found));
        Assert.That(Differences.Listed.Except(used), Is.Empty, "These differences are gone: take them off the list.");
    }
}
