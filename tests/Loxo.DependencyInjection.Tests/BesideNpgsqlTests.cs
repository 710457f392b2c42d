using System.Reflection;
using Microsoft.Extensions.DependencyInjection;

namespace Loxo.DependencyInjectionTests;

/// <summary>The methods that register a data source, compared with those of Npgsql.DependencyInjection.</summary>
public class BesideNpgsqlTests
{
    private static readonly MethodInfo[] _ours = Methods(typeof(PgServiceCollectionExtensions));

    private static readonly MethodInfo[] _theirs = Methods(typeof(NpgsqlServiceCollectionExtensions));

    private static IEnumerable<TestCaseData> Theirs => _theirs.Select(method => new TestCaseData(method).SetArgDisplayNames(method.ToString()!));

    private static IEnumerable<object?[]> Registrations =>
        from hosts in new[] { false, true }
        from slim in new[] { false, true }
        from connections in Enum.GetValues<ServiceLifetime>()
        from sources in Enum.GetValues<ServiceLifetime>()
        from key in new object?[] { null, "catalog", 7 }
        select new[] { hosts, slim, connections, sources, key };

    // An overload of Npgsql without the key is there for programs that were compiled before there were keys.
    [TestCaseSource(nameof(Theirs))]
    public void An_overload_of_Npgsql_has_a_counterpart(MethodInfo theirs)
    {
        var expected = theirs.GetParameters().Select(Describe).ToArray();
        var counterparts = _ours.Where(ours => ours.Name == Named(theirs.Name)).Select(ours => ours.GetParameters())
            .Where(ours => ours.Length >= expected.Length && ours.Skip(expected.Length).All(parameter => parameter.IsOptional));

        Assert.That(counterparts.Where(ours => ours.Zip(theirs.GetParameters()).All(IsCounterpart)), Has.Exactly(1).Items,
            string.Join(", ", expected));
    }

    [Test]
    public void No_method_has_other_parameters_than_that_of_Npgsql()
    {
        Assert.That(_theirs, Has.Length.GreaterThanOrEqualTo(12));
        Assert.That(_ours.Select(Text), Is.EquivalentTo(_theirs.Select(Text).Where(text => text.Contains("serviceKey", StringComparison.Ordinal))));
    }

    [TestCaseSource(nameof(Registrations))]
    public void The_same_services_are_registered(bool hosts, bool slim, ServiceLifetime connections, ServiceLifetime sources, object? key)
    {
        var (ours, theirs) = (new ServiceCollection(), new ServiceCollection());
        _ = (hosts, slim) switch
        {
            (false, false) => (ours.AddPgDataSource("Host=h", connections, sources, key),
                theirs.AddNpgsqlDataSource("Host=h", connections, sources, key)),
            (false, true) => (ours.AddPgSlimDataSource("Host=h", connections, sources, key),
                theirs.AddNpgsqlSlimDataSource("Host=h", connections, sources, key)),
            (true, false) => (ours.AddMultiHostPgDataSource("Host=h", connections, sources, key),
                theirs.AddMultiHostNpgsqlDataSource("Host=h", connections, sources, key)),
            (true, true) => (ours.AddMultiHostPgSlimDataSource("Host=h", connections, sources, key),
                theirs.AddMultiHostNpgsqlSlimDataSource("Host=h", connections, sources, key)),
        };

        Assert.That(ours.Select(Text), Is.EquivalentTo(theirs.Select(Text)));
        Assert.That(ours, Has.Count.EqualTo(hosts ? 5 : 4));
    }

    private static MethodInfo[] Methods(Type type) => type.GetMethods(BindingFlags.Public | BindingFlags.Static);

    private static string Named(string name) => name.Replace("Npgsql", "Pg", StringComparison.Ordinal);

    private static string Text(MethodInfo method) => $"{Named(method.Name)}({string.Join(", ", method.GetParameters().Select(Describe))})";

    private static string Text(ServiceDescriptor service) => $"{service.Lifetime} {Named(service.ServiceType.Name)} {service.ServiceKey}";

    private static string Describe(ParameterInfo parameter) =>
        $"{Named(parameter.ParameterType.ToString()).Replace("Pg.", "Loxo.", StringComparison.Ordinal)} {parameter.Name}"
        + (parameter.IsOptional ? $" = {parameter.DefaultValue ?? "null"}" : "");

    // A parameter that Npgsql's caller must give may be optional.
    private static bool IsCounterpart((ParameterInfo Ours, ParameterInfo Theirs) pair) =>
        Describe(pair.Ours) == Describe(pair.Theirs)
        || (!pair.Theirs.IsOptional && Describe(pair.Ours).StartsWith(Describe(pair.Theirs) + " = ", StringComparison.Ordinal));
}
