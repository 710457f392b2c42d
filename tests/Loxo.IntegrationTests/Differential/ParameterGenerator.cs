using System.Data;
using System.Globalization;

namespace Loxo.IntegrationTests.Differential;

/// <summary>Fills statements with placeholders and makes the parameters for them, mostly fitting ones.</summary>
internal sealed class ParameterGenerator(Random random)
{
    public (string Text, IReadOnlyList<ParameterSpec> Parameters) Statement() => random.Next(10) switch
    {
        < 2 => ($"SELECT {string.Join(", ", Enumerable.Range(0, random.Next(1, 4)).Select(_ => Pick(StatementGrammar.Expressions)))}", []),
        < 6 => (Pick(StatementGrammar.Plain), []),
        _ => Filled(Pick(StatementGrammar.Templates)),
    };

    public ParameterSpec Next(string name, Sample sample, ParameterDirection direction = ParameterDirection.Input) =>
        new(name, sample, (Typing)(random.Next(8) switch { < 3 => 0, var other => other - 2 }), direction);

    /// <summary>Parameters for a procedure or function: none, some that fit, some that do not.</summary>
    public IEnumerable<ParameterSpec> OfProcedure()
    {
        var isNamed = random.Next(2) == 0;
        var count = random.Next(4);
        for (var i = 0; i < count; i++)
        {
            var direction = Pick([ParameterDirection.Input, ParameterDirection.InputOutput, ParameterDirection.InputOutput, ParameterDirection.Output]);
            yield return Next(isNamed ? Pick(["a", "b", "c"]) : "", i == 0 ? Pick(Sample.Numbers) : Pick(Sample.Texts), direction);
        }
    }

    private (string Text, IReadOnlyList<ParameterSpec> Parameters) Filled(Template template)
    {
        var isPositional = random.Next(3) == 0;
        var names = Enumerable.Range(0, template.Count).Select(i => isPositional ? "" : $"p{i}").ToArray();
        var prefix = random.Next(4) == 0 ? ":" : "@";
        object[] places = [.. names.Select((name, i) => isPositional ? $"${i + 1}" : prefix + name)];
        // A text in braces is not a placeholder of ours.
        var text = string.Format(CultureInfo.InvariantCulture, template.Text, places);
        var parameters = names.Select((name, i) => Next(Spelled(name), SampleFor(template, i))).ToList();
        if (random.Next(15) == 0)
            parameters.RemoveAt(parameters.Count - 1);
        else if (random.Next(15) == 0)
            parameters.Add(Next(isPositional ? "" : "unused", Pick(Sample.All)));
        return (text, parameters);
    }

    private Sample SampleFor(Template template, int position) =>
        template.Anything || random.Next(10) == 0 ? Pick(Sample.All)
        : template.Numbers.Contains(position.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal) ? Pick(Sample.Numbers)
        : Pick(Sample.Texts);

    // Names may be written in other letters, with and without the sign.
    private string Spelled(string name) => name.Length == 0 ? "" : random.Next(6) switch
    {
        0 => name.ToUpperInvariant(),
        1 => "@" + name,
        2 => ":" + name,
        _ => name,
    };

    private T Pick<T>(IReadOnlyList<T> items) => items[random.Next(items.Count)];
}
