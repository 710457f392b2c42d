namespace Loxo.Benchmarks.Measuring;

/// <summary>Takes its turn in each round of a row.</summary>
internal interface IParticipant : IDisposable
{
    string Name { get; }

    /// <summary>Number of executions that are measured together.</summary>
    int Batch { get; }

    /// <summary>Measures one batch.</summary>
    /// <param name="sum">The sum of the values read; the same for all participants with the same batch.</param>
    Sample Measure(out long sum);
}
