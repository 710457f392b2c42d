namespace Loxo.Tests.Parameters;

/// <summary>Searching a collection by name: an index takes over when it is large, and finds what comparing each name would find.</summary>
public class ParameterIndexTests
{
    private const int Steps = 4000;

    private static readonly string[] _names = [.. Enumerable.Range(0, 60).SelectMany(i => new[] { $"name{i}", $"NAME{i}", $"@Name{i}" })];

    [Test]
    public void The_first_parameter_of_a_name_is_found_whatever_was_done_before([Range(1, 20)] int seed)
    {
        var random = new Random(seed);
        var parameters = new PgCommand().Parameters;
        for (var step = 0; step < Steps; step++)
        {
            Change(parameters, random);
            var name = _names[random.Next(_names.Length)];

            Assert.That(parameters.IndexOf(name), Is.EqualTo(ByComparing(parameters, name)), $"step {step}: {name} of {parameters.Count}");
        }
    }

    [Test]
    public void Looking_for_each_name_before_it_is_added_finds_none()
    {
        var parameters = new PgCommand().Parameters;
        for (var i = 0; i < ushort.MaxValue; i++)
        {
            if (!parameters.Contains($"p{i}"))
                parameters.AddWithValue($"p{i}", i);
        }

        Assert.That(parameters, Has.Count.EqualTo(ushort.MaxValue));
        Assert.That(parameters.IndexOf(":P65534"), Is.EqualTo(65534));
        Assert.That(parameters["@p40000"].Value, Is.EqualTo(40000));
    }

    private static int ByComparing(PgParameterCollection parameters, string name) =>
        Array.FindIndex(parameters.ToArray(), parameter => parameter.ParameterName.TrimStart('@', ':').Equals(name.TrimStart('@', ':'), StringComparison.OrdinalIgnoreCase));

    private static void Change(PgParameterCollection parameters, Random random)
    {
        var name = _names[random.Next(_names.Length)];
        var position = random.Next(Math.Max(1, parameters.Count));
        var operation = parameters.Count < 20 ? 0 : random.Next(parameters.Count < 80 ? 10 : 14);
        switch (operation)
        {
            case 6:
                parameters.Insert(position, new PgParameter(name, 1));
                break;
            case 7:
                parameters[position].ParameterName = name;
                break;
            case 8:
                parameters[position] = new PgParameter(name, 1);
                break;
            case >= 9 and < 13:
                parameters.RemoveAt(position);
                break;
            case 13:
                parameters.Clear();
                break;
            default:
                parameters.AddWithValue(name, 1);
                break;
        }
    }
}
