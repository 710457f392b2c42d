namespace Loxo.Tests.Architecture;

/// <summary>One breach of a rule of the architecture.</summary>
/// <param name="Place">File and line, from the repository's root.</param>
/// <param name="Subject">A name that stays the same when lines move: a file, a type or a member.</param>
/// <param name="Rule">The rule and its breach.</param>
/// <param name="Remedy">A way to keep the rule.</param>
internal sealed record Breach(string Place, string Subject, string Rule, string Remedy)
{
    /// <summary>Fails for each breach that has no exemption, and for each exemption that no breach needs.</summary>
    /// <param name="breaches">The breaches that a rule found.</param>
    /// <param name="exemptions">Reasons by subject. A subject that ends in <c>/</c> is a folder.</param>
    public static void AssertNone(IEnumerable<Breach> breaches, Dictionary<string, string>? exemptions = null)
    {
        exemptions ??= [];
        var found = breaches.ToList();
        var failures = found.Where(breach => !exemptions.Keys.Any(subject => Covers(subject, breach))).Select(breach => breach.ToString())
            .Concat(exemptions.Keys.Where(subject => !found.Any(breach => Covers(subject, breach)))
                .Select(subject => $"The exemption '{subject}' is not needed any more: remove it from the test."))
            .ToList();
        Assert.That(failures, Is.Empty, () => string.Join('\n', failures));
    }

    public override string ToString() => $"{Place}: {Rule} {Remedy}";

    private static bool Covers(string subject, Breach breach) =>
        subject.EndsWith('/') ? breach.Subject.StartsWith(subject, StringComparison.Ordinal) : breach.Subject == subject;
}
