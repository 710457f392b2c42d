using NUnit.Framework.Interfaces;
using NUnit.Framework.Internal;
using NUnit.Framework.Internal.Commands;

namespace Loxo.Conformance.Rules;

/// <summary>
/// A test of a rule that the documentation of .NET states for all providers. A provider that does not keep it is listed in
/// <see cref="Departures"/>: then the test passes as long as the rule fails, so that the list cannot grow old.
/// </summary>
/// <param name="type">The type whose documentation states the rule.</param>
/// <param name="member">The member of it; none if the page of the type does.</param>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class RuleAttribute(Type type, string? member = null) : TestAttribute, IWrapTestMethod, IApplyToTest
{
    /// <summary>Where the rule is stated.</summary>
    public string Page { get; } = "https://learn.microsoft.com/dotnet/api/"
        + $"{type.FullName}{(member is null ? "" : "." + member)}".Replace('`', '-').ToLowerInvariant();

    public TestCommand Wrap(TestCommand command) => new Tried(command, Page);

    void IApplyToTest.ApplyToTest(Test test) => test.Properties.Set("Page", Page);

    private sealed class Tried(TestCommand inner, string page) : DelegatingTestCommand(inner)
    {
        public override TestResult Execute(TestExecutionContext context)
        {
            try
            {
                context.CurrentResult = innerCommand.Execute(context);
            }
            catch (Exception e)
            {
                context.CurrentResult.RecordException(e);
            }
            var test = (RuleTest)context.TestObject!;
            var keeps = context.CurrentResult.ResultState.Status is not TestStatus.Failed;
            if (Departures.Contains(test.Driver, test.Mode, context.CurrentTest.Name))
                context.CurrentResult = Judge(context, keeps, test.Driver);
            else if (!keeps)
                context.CurrentResult.SetResult(ResultState.Failure, $"{context.CurrentResult.Message}\nThe rule: {page}",
                    context.CurrentResult.StackTrace);
            return context.CurrentResult;
        }

        private static TestResult Judge(TestExecutionContext context, bool keeps, Driver driver)
        {
            var result = context.CurrentTest.MakeTestResult();
            if (keeps)
                result.SetResult(ResultState.Failure, $"{driver} keeps this rule: take it off the list of departures.");
            else
                result.SetResult(ResultState.Success, "A listed departure: " + context.CurrentResult.Message);
            return result;
        }
    }
}
