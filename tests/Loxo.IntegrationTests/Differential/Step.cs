namespace Loxo.IntegrationTests.Differential;

/// <summary>One call of a generated program.</summary>
/// <param name="Text">The call as a line of C#, with Npgsql's names.</param>
/// <param name="Run">The call itself; what it returns goes to <see cref="Machine.Note"/>.</param>
internal sealed record Step(string Text, Func<Machine, Task> Run)
{
    public override string ToString() => Text;
}

/// <summary>A generated program: the keywords of its connection strings, and its calls.</summary>
internal sealed record GeneratedProgram(int Seed, string Keywords, IReadOnlyList<Step> Steps)
{
    /// <summary>Whether the tables may have other columns after it, or be gone.</summary>
    public bool ChangesTables => Steps.Any(step => step.Text.Contains("TABLE", StringComparison.Ordinal) || step.Text.Contains("INTO scratch", StringComparison.Ordinal));

    public override string ToString() =>
        $"// seed {Seed}; connection strings end with \"{Keywords}\"\n{string.Join("\n", Steps)}";
}

/// <summary>What a program sees of one step.</summary>
/// <param name="Step">The step, or null for the end of the program.</param>
/// <param name="Lines">Values and exceptions.</param>
/// <param name="States">The connections' states afterwards, and the events that told of changes.</param>
internal sealed record Observation(Step? Step, IReadOnlyList<string> Lines, IReadOnlyList<string> States)
{
    /// <summary>Whether the reader is open, and stands on a result.</summary>
    public bool IsReading { get; init; }

    /// <summary>The texts of the exceptions: for who reads the report.</summary>
    public IReadOnlyList<string> Messages { get; init; } = [];
}

/// <summary>Says that a step needs an object that no earlier step has made, such as a reader.</summary>
internal sealed class NothingThereException(string what) : Exception($"There is no {what}.");
