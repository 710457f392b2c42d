using System.Data.Common;
using Loxo.Conformance.Rules;

namespace Loxo.Conformance.Conversions;

/// <summary>Every getter, and GetFieldValue of every type, on every type of column with every value.</summary>
[TestFixtureSource(typeof(Drivers), nameof(Drivers.All))]
public sealed class ConversionTests(Driver driver, WaitMode mode) : RuleTest(driver, mode)
{
    private static readonly string[] _refusals = [nameof(InvalidCastException), nameof(OverflowException)];

    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetFieldValue))]
    public Task A_getter_answers_as_GetFieldValue_does() => ForEachCell((_, answers) =>
        answers.Typed is null || answers.Typed == answers.Generic ? null : $"{answers.Typed}, and GetFieldValue: {answers.Generic}");

    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetFieldValue))]
    public Task What_cannot_be_converted_is_an_invalid_cast() => ForEachCell((_, answers) =>
        !answers.Generic.EndsWith("Exception") || _refusals.Contains(answers.Generic) ? null : answers.Generic);

    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetFieldValue))]
    public Task NULL_is_null_or_DBNull_or_an_invalid_cast() => ForEachCell((cell, answers) =>
    {
        var expected = cell.Target == "Object" ? "DBNull" : cell.Target.EndsWith('?') ? "null" : nameof(InvalidCastException);
        return cell.Value != Matrix.Null || answers.Generic == expected ? null : $"{answers.Generic} instead of {expected}";
    });

    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetFieldValue))]
    public Task After_each_conversion_the_row_can_be_read() =>
        ForEachCell((_, answers) => answers.CanGoOn ? null : "the last column is lost");

    /// <summary>How many dimensions an array has is no part of its column's type, so those of one dimension are asked.</summary>
    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetFieldType))]
    public async Task A_value_is_of_the_type_of_its_column()
    {
        foreach (var column in Column.Of(Driver))
        {
            await using var reader = await ReadRow(column.Sql);
            for (var i = 1; i <= column.Values.Length; i++)
            {
                object value;
                try
                {
                    value = reader.GetValue(i);
                }
                catch (Exception e) when (e is OverflowException or InvalidCastException or ArgumentOutOfRangeException)
                {
                    continue;
                }
                if (value is not Array { Rank: > 1 })
                    Assert.That(value, Is.InstanceOf(reader.GetFieldType(i)), column.Type);
            }
        }
    }

    private async Task ForEachCell(Func<Cell, CellAnswers, string?> check)
    {
        var wrong = new List<string>();
        foreach (var (cell, answers) in await Matrix.Of(Driver, Mode))
        {
            if (check(cell, answers) is { } problem)
                wrong.Add($"{cell.Type} {cell.Value} as {cell.Target}: {problem}");
        }
        Assert.That(wrong, Is.Empty, string.Join('\n', wrong.Take(200)));
    }
}
