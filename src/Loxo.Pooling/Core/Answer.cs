using System.Diagnostics.CodeAnalysis;

namespace Loxo.Pooling.Core;

/// <summary>Yes or no, now or later. "Now" allocates nothing.</summary>
internal readonly struct Answer
{
    private readonly bool _now;

    private Answer(bool now, Task<bool>? later) => (_now, Later) = (now, later);

    public static Answer Yes => new(true, null);

    public bool IsYes => _now && Later is null;

    /// <summary>Null if the answer is there.</summary>
    public Task<bool>? Later { get; }

    [SuppressMessage("Reliability", "CA2012:Use ValueTasks correctly", Justification = "Consumed once: by Result or by AsTask.")]
    public static Answer Of(ValueTask<bool> answer) =>
        answer.IsCompletedSuccessfully ? new Answer(answer.Result, null) : new Answer(false, answer.AsTask());

    public static Answer Of(Task<bool> later) => new(false, later);

    public static Answer Failed(Exception error) => new(false, Task.FromException<bool>(error));
}
