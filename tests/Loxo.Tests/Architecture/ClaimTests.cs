using System.Text.RegularExpressions;

namespace Loxo.Tests.Architecture;

/// <summary>A session that was claimed and could not be written to is given back.</summary>
public sealed partial class ClaimTests
{
    // ServerSession.Begin gives back by itself, and so does CommandExchange.Start, which CommandRunner calls. A pipeline has the session
    // until it is disposed, a lane until it is closed.
    private static readonly string[] _mayClaim =
    [
        "Session/ServerSession.cs", "Commands/CommandRunner.cs", "Commands/PipelineQueue.cs", "Commands/PipelineQueue.Delayed.cs", "Commands/Lane.cs",
    ];

    [Test]
    public void Sessions_are_claimed_where_a_failure_to_write_gives_them_back() =>
        Assert.That(Repository.Driver.Where(file => !_mayClaim.Contains(file.Name)).SelectMany(file => file.LinesWith(Claims())), Is.Empty);

    [Test]
    public void Every_exception_is_needed() =>
        Assert.That(_mayClaim.Where(name => !Repository.Driver.Any(file => file.Name == name && Claims().IsMatch(file.Code))), Is.Empty);

    [GeneratedRegex(@"\bClaim(Async|Unsettled)?\(")]
    private static partial Regex Claims();
}
